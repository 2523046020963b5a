#include "app/skills/package_files.hpp"

#include "core/skills/name_rules.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace caisson {

namespace {

error unreadable(std::string_view why) { return {errc::runtime_unavailable, "the package cannot be read now: " + std::string(why)}; }
error unreadable() { return unreadable(std::generic_category().message(errno)); }

std::uint32_t shown_mode(::mode_t mode) { return (mode & 0111U) != 0 ? 0755 : 0644; }

}    // namespace

result<std::vector<package_entry>> list_package(const std::filesystem::path& tree)
{
    std::vector<package_entry> found;
    std::error_code failed;
    for (std::filesystem::recursive_directory_iterator at(tree, failed), end; !failed && at != end; at.increment(failed)) {
        struct ::stat about{};
        if (::lstat(at->path().c_str(), &about) != 0)
            return unreadable();
        if (S_ISREG(about.st_mode))
            found.push_back({at->path().lexically_relative(tree).generic_string(), about.st_size, shown_mode(about.st_mode)});
    }
    if (failed)
        return unreadable(failed.message());
    std::ranges::sort(found, {}, &package_entry::path);
    return found;
}

result<package_file> open_package_file(const std::filesystem::path& tree, const std::string& path)
{
    const error none{errc::not_found, "the package has no file " + shown_name(path)};
    const auto clean = clean_name(path, "the path", package_limits());
    if (clean.has_error() || clean->empty() || *clean != path)
        return none;
    package_file out{unique_fd(::open((tree / *clean).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK))};
    if (!out.file && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP || errno == ENAMETOOLONG))
        return none;
    struct ::stat about{};
    if (!out.file || ::fstat(out.file.get(), &about) != 0)
        return unreadable();
    if (!S_ISREG(about.st_mode))
        return none;
    out.size_bytes = about.st_size;
    return out;
}

result<shared_bytes> read_package_file(const unique_fd& file, std::uint64_t offset, std::size_t most_bytes)
{
    std::string bytes(most_bytes, '\0');
    const auto count = ::pread(file.get(), bytes.data(), bytes.size(), static_cast<::off_t>(offset));
    if (count < 0)
        return unreadable();
    bytes.resize(static_cast<std::size_t>(count));
    return shared_bytes(std::move(bytes));
}

}    // namespace caisson

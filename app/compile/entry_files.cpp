#include "app/compile/entry_files.hpp"

#include "adapters/host/remove_tree.hpp"
#include "core/base/unique_fd.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace caisson {

namespace fs = std::filesystem;

namespace {

bool is_key(const std::string& name) { return name.size() == 64 && name.find_first_not_of("0123456789abcdef") == std::string::npos; }

void make_private_directory(const fs::path& path)
{
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
        throw std::system_error(errno, std::generic_category(), "cannot make " + path.string());
}

void remove_whatever(const fs::path& path)
{
    if (::unlink(path.c_str()) != 0 && errno != ENOENT)
        static_cast<void>(remove_tree(path.string()));    // the next start tries again
}

std::vector<fs::path> paths_in(const fs::path& directory)
{
    std::vector<fs::path> out;
    for (const auto& each : fs::directory_iterator(directory))
        out.push_back(each.path());
    return out;
}

void look_at_tenant(const fs::path& directory, const tenant_id& tenant, std::vector<found_entry>& found)
{
    for (const auto& path : paths_in(directory)) {
        struct stat about{};
        const bool is_entry = is_key(path.filename().string()) && ::lstat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode);
        if (is_entry)
            found.push_back({tenant, path.filename().string(), about.st_size,
                std::int64_t{about.st_mtim.tv_sec} * 1'000'000'000 + about.st_mtim.tv_nsec});
        else
            remove_whatever(path);
    }
}

int write_all(int file, std::string_view bytes)
{
    while (!bytes.empty()) {
        const auto done = ::write(file, bytes.data(), bytes.size());
        if (done < 0 && errno != EINTR)
            return errno;
        if (done > 0)
            bytes.remove_prefix(static_cast<std::size_t>(done));
    }
    return 0;
}

int make_file(const fs::path& path, std::string_view bytes)
{
    const unique_fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    return file ? write_all(file.get(), bytes) : errno;
}

bool read_all(int file, std::string& into)
{
    for (std::size_t at = 0; at < into.size();) {
        const auto done = ::read(file, into.data() + at, into.size() - at);
        if (done == 0 || (done < 0 && errno != EINTR))
            return false;
        at += done > 0 ? static_cast<std::size_t>(done) : 0;
    }
    return true;
}

}    // namespace

fs::path entry_place(const fs::path& top, const tenant_id& tenant, const std::string& key) { return top / tenant.str() / key; }

std::vector<found_entry> find_entries(const fs::path& top, const std::string& boot)
{
    make_private_directory(top);
    make_private_directory(top / boot);
    for (const auto& path : paths_in(top))
        if (path.filename() != boot)
            remove_whatever(path);
    std::vector<found_entry> found;
    for (const auto& path : paths_in(top / boot)) {
        const auto tenant = tenant_id::parse(path.filename().string());
        if (tenant && fs::is_directory(fs::symlink_status(path)))
            look_at_tenant(path, *tenant, found);
        else
            remove_whatever(path);
    }
    std::ranges::sort(found, {}, &found_entry::used_at_ns);
    return found;
}

/// Needs no sync: results are dropped after a reboot, and a damaged file fails its digest check.
result<void> write_entry(const fs::path& place, const fs::path& staging, std::string_view bytes)
{
    const auto made_parent = ::mkdir(place.parent_path().c_str(), 0700) == 0 || errno == EEXIST;
    int failed = made_parent ? make_file(staging, bytes) : errno;
    if (failed == 0 && ::rename(staging.c_str(), place.c_str()) != 0)
        failed = errno;
    if (failed == 0)
        return {};
    remove_entry(staging);
    return error{errc::runtime_unavailable, std::strerror(failed)};
}

std::optional<std::string> read_entry(const fs::path& place, std::int64_t most_bytes)
{
    const unique_fd file(::open(place.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat about{};
    if (!file || ::fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode) || about.st_size > most_bytes)
        return std::nullopt;
    std::string bytes(static_cast<std::size_t>(about.st_size), '\0');
    if (!read_all(file.get(), bytes))
        return std::nullopt;
    static_cast<void>(::futimens(file.get(), nullptr));    // only for the order after a restart
    return bytes;
}

void remove_entry(const fs::path& place) noexcept { static_cast<void>(::unlink(place.c_str())); }

std::int64_t free_bytes_at(const fs::path& directory)
{
    std::error_code unknown;
    const auto space = fs::space(directory, unknown);
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    return unknown || space.available > static_cast<std::uintmax_t>(most) ? most : static_cast<std::int64_t>(space.available);
}

}    // namespace caisson

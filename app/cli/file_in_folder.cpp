#include "app/cli/file_in_folder.hpp"

#include "app/cli/last_error.hpp"
#include "core/base/random.hpp"
#include "core/base/utf8.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <vector>

namespace caisson::cli {

namespace {

constexpr std::size_t longest_path = 4'096;

std::vector<std::string> names_of(std::string_view path)
{
    std::vector<std::string> names;
    for (std::size_t at = 0; at <= path.size();) {
        const auto end = std::min(path.find('/', at), path.size());
        names.emplace_back(path.substr(at, end - at));
        at = end + 1;
    }
    return names;
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

unique_fd open_folder(int at, const char* name) { return unique_fd(::openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)); }

std::string temporary_name(const std::string& name)
{
    std::array<std::uint8_t, 4> random{};
    random_fill(random);
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "%02x%02x%02x%02x", random[0], random[1], random[2], random[3]);
    return "." + name.substr(0, 200) + "." + text.data() + ".partial";
}

}    // namespace

std::string path_problem(std::string_view path)
{
    if (path.empty() || path.size() > longest_path || path.front() == '/')
        return "is no relative path of at most 4096 bytes";
    if (!is_utf8(path) || std::ranges::any_of(path, is_control))
        return "has characters that no name should have";
    for (const auto& name : names_of(path))
        if (name.empty() || name == "." || name == "..")
            return "has a part that is empty, \".\" or \"..\"";
    return {};
}

result<target_folder> target_folder::open(const std::filesystem::path& path)
{
    std::error_code failure;
    std::filesystem::create_directories(path, failure);
    unique_fd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder)
        return error{errc::bad_request, path.string() + " cannot be opened as a folder: " + last_error()};
    return target_folder(std::move(folder));
}

bool target_folder::has(const std::string& path) const
{
    struct stat found{};
    return ::fstatat(folder_.get(), path.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0;
}

result<target_folder::file> target_folder::begin(const std::string& path, std::uint32_t mode) const
{
    if (const auto wrong = path_problem(path); !wrong.empty())
        return error{errc::bad_request, "\"" + path + "\" " + wrong};
    const auto names = names_of(path);
    unique_fd at = open_folder(folder_.get(), ".");
    for (std::size_t i = 0; at && i + 1 < names.size(); ++i) {
        static_cast<void>(::mkdirat(at.get(), names[i].c_str(), 0777));    // a failure shows in the next step
        at = open_folder(at.get(), names[i].c_str());
    }
    const auto temporary = temporary_name(names.back());
    unique_fd fd;
    if (at)
        fd = unique_fd(::openat(at.get(), temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode & 0777U));
    if (!fd)
        return error{errc::bad_request, path + " cannot be written: " + last_error()};
    return file(std::move(at), names.back(), temporary, std::move(fd));
}

target_folder::file::file(unique_fd folder, std::string name, std::string temporary, unique_fd fd)
    : folder_(std::move(folder)), name_(std::move(name)), temporary_(std::move(temporary)), fd_(std::move(fd))
{
}

target_folder::file::~file()
{
    if (folder_ && !temporary_.empty())
        ::unlinkat(folder_.get(), temporary_.c_str(), 0);
}

result<void> target_folder::file::write(std::string_view bytes)
{
    while (!bytes.empty()) {
        const auto written = ::write(fd_.get(), bytes.data(), bytes.size());
        if (written < 0 && errno != EINTR)
            return error{errc::bad_request, name_ + " cannot be written: " + last_error()};
        bytes.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
    }
    return {};
}

result<void> target_folder::file::finish(bool replace)
{
    const unsigned flags = replace ? 0 : RENAME_NOREPLACE;
    if (::renameat2(folder_.get(), temporary_.c_str(), folder_.get(), name_.c_str(), flags) != 0) {
        if (errno == EEXIST)
            return error{errc::conflict, name_ + " is there already; --force replaces it"};
        return error{errc::bad_request, name_ + " cannot be written: " + last_error()};
    }
    temporary_.clear();
    return {};
}

}    // namespace caisson::cli

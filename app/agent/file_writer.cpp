#include "app/agent/file_writer.hpp"

#include "core/base/unique_fd.hpp"

#include <cerrno>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace caisson::agent {

namespace {

constexpr mode_t unfinished_mode = 0600;
constexpr mode_t own_directory_mode = 0700;

/// openat2(2) below `directory`. Where the kernel (or an emulation) lacks it, O_NOFOLLOW suffices for a single name.
unique_fd open_file_below(int directory, const std::string& name, int flags, mode_t mode)
{
    open_how how{};
    how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC | O_NOFOLLOW);
    how.mode = mode;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
    const long got = ::syscall(SYS_openat2, directory, name.c_str(), &how, sizeof(how));
    if (got >= 0 || errno != ENOSYS)
        return unique_fd(static_cast<int>(got));
    return unique_fd(::openat(directory, name.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, mode));
}

bool is_plain_name(std::string_view name)
{
    return !name.empty() && name != "." && name != ".." && name.find('\0') == std::string_view::npos;
}

/// Opens the parent directory and reduces `path` to its last name. On failure empty, with errno set.
unique_fd open_parent(const char* work, std::string_view& path)
{
    unique_fd directory(::open(work, O_PATH | O_DIRECTORY | O_CLOEXEC));
    for (auto slash = path.find('/'); directory && slash != std::string_view::npos; slash = path.find('/')) {
        const std::string name(path.substr(0, slash));
        path.remove_prefix(slash + 1);
        if (!is_plain_name(name)) {
            errno = EINVAL;
            return {};
        }
        if (::mkdirat(directory.get(), name.c_str(), 0755) != 0 && errno != EEXIST)
            return {};
        directory = open_file_below(directory.get(), name, O_PATH | O_DIRECTORY, 0);
    }
    return directory;
}

/// The file stays writable for its owner until its last part is written.
unique_fd open_file(int directory, const std::string& name, bool first)
{
    if (!first)
        return open_file_below(directory, name, O_WRONLY | O_NONBLOCK, 0);
    if (::unlinkat(directory, name.c_str(), 0) != 0 && errno != ENOENT)
        return {};
    return open_file_below(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NONBLOCK, unfinished_mode);
}

int write_at(int file, std::string_view bytes, std::uint64_t offset)
{
    while (!bytes.empty()) {
        const auto done = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (done < 0 && errno != EINTR)
            return errno;
        if (done > 0) {
            bytes.remove_prefix(static_cast<std::size_t>(done));
            offset += static_cast<std::uint64_t>(done);
        }
    }
    return 0;
}

/// An existing directory keeps its content.
int make_directory(int parent, const std::string& name, mode_t mode)
{
    if (::mkdirat(parent, name.c_str(), own_directory_mode) != 0 && errno != EEXIST)
        return errno;
    const auto made = open_file_below(parent, name, O_RDONLY | O_DIRECTORY, 0);
    if (!made)
        return errno;
    return ::fchmod(made.get(), mode & 0777) == 0 ? 0 : errno;
}

}    // namespace

int write_file_chunk(const char* work, const protocol::file_chunk& chunk)
{
    auto path = chunk.path;
    const auto directory = open_parent(work, path);
    if (!directory)
        return errno;
    if (!is_plain_name(path))
        return EINVAL;
    if (S_ISDIR(chunk.mode))
        return chunk.bytes.empty() ? make_directory(directory.get(), std::string(path), chunk.mode) : EINVAL;
    const auto file = open_file(directory.get(), std::string(path), chunk.offset == 0);
    struct stat about{};
    if (!file || ::fstat(file.get(), &about) != 0)
        return errno;
    if (!S_ISREG(about.st_mode))
        return EINVAL;
    if (const int code = write_at(file.get(), chunk.bytes, chunk.offset))
        return code;
    if (chunk.last && ::fchmod(file.get(), chunk.mode & 0777) != 0)
        return errno;
    return 0;
}

}    // namespace caisson::agent

#include "adapters/host/small_file.hpp"

#include "core/base/unique_fd.hpp"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace caisson {

std::optional<std::string> read_small_file(const std::string& path, std::size_t limit_bytes)
{
    return read_small_file_at(AT_FDCWD, path.c_str(), limit_bytes);
}

int write_small_file(const std::string& path, std::string_view text) { return write_small_file_at(AT_FDCWD, path.c_str(), text); }

std::optional<std::string> read_small_file_at(int directory, const char* path, std::size_t limit_bytes)
{
    const unique_fd file(::openat(directory, path, O_RDONLY | O_CLOEXEC));
    if (!file)
        return std::nullopt;
    std::string text;
    char buffer[4096];
    while (text.size() < limit_bytes) {
        const ssize_t got = ::read(file.get(), buffer, std::min(sizeof buffer, limit_bytes - text.size()));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return std::nullopt;
        if (got == 0)
            break;
        text.append(buffer, static_cast<std::size_t>(got));
    }
    return text;
}

int write_small_file_at(int directory, const char* path, std::string_view text)
{
    const unique_fd file(::openat(directory, path, O_WRONLY | O_CLOEXEC));
    if (!file)
        return errno;
    ssize_t put = 0;
    do
        put = ::write(file.get(), text.data(), text.size());
    while (put < 0 && errno == EINTR);    // e.g. lowering a memory limit while a debugger stops this thread
    if (put < 0)
        return errno;
    return static_cast<std::size_t>(put) == text.size() ? 0 : EIO;
}

}    // namespace caisson

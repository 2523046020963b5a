#include "storage/sqlite/directory_lock.hpp"

#include "storage/sqlite/errors.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

namespace caisson::sqlite {

namespace {

unique_fd open_file(const std::filesystem::path& file)
{
    unique_fd fd(::open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
    if (!fd)
        throw_broken(file, "open");
    return fd;
}

/// False if another one has the lock and `operation` says not to wait.
bool try_lock(const unique_fd& fd, const std::filesystem::path& file, int operation)
{
    while (::flock(fd.get(), operation) != 0) {
        if (errno == EWOULDBLOCK)
            return false;
        if (errno != EINTR)
            throw_broken(file, "lock");
    }
    return true;
}

}    // namespace

directory_lock directory_lock::wait(const std::filesystem::path& file)
{
    auto fd = open_file(file);
    try_lock(fd, file, LOCK_EX);
    return directory_lock(std::move(fd));
}

std::optional<directory_lock> directory_lock::try_take(const std::filesystem::path& file)
{
    auto fd = open_file(file);
    if (!try_lock(fd, file, LOCK_EX | LOCK_NB))
        return std::nullopt;
    const auto text = std::to_string(::getpid()) + "\n";
    if (::ftruncate(fd.get(), 0) != 0 || ::pwrite(fd.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
        throw_broken(file, "write");
    return directory_lock(std::move(fd));
}

bool directory_lock::is_held(const std::filesystem::path& file)
{
    const auto fd = open_file(file);
    return !try_lock(fd, file, LOCK_SH | LOCK_NB);
}

int directory_lock::owner(const std::filesystem::path& file)
{
    const auto fd = open_file(file);
    char text[16] = {};
    const auto length = ::pread(fd.get(), text, sizeof text - 1, 0);
    return length > 0 ? std::atoi(text) : 0;
}

}    // namespace caisson::sqlite

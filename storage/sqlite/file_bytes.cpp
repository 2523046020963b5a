#include "storage/sqlite/file_bytes.hpp"

#include "storage/sqlite/errors.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace caisson::sqlite {

namespace {

[[noreturn]] void fail_writing(const std::filesystem::path& file, const char* doing)
{
    const auto fault = errno == ENOSPC ? storage_fault::disk_full : storage_fault::broken;
    throw storage_error(fault, std::string("cannot ") + doing + " " + file.string() + ": " + std::strerror(errno));
}

}    // namespace

file_bytes::file_bytes(const std::filesystem::path& file) : file_(file), fd_(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK))
{
    if (!fd_ && errno == ENOENT)
        return;
    struct stat found{};
    if (!fd_ || ::fstat(fd_.get(), &found) != 0)
        fail_writing(file_, "open");
    if (!S_ISREG(found.st_mode))
        throw storage_error(storage_fault::broken, file_.string() + " is not a file");
    size_ = static_cast<std::uint64_t>(found.st_size);
}

std::size_t file_bytes::read(std::uint64_t offset, std::span<unsigned char> into) const
{
    std::size_t done = 0;
    while (fd_ && done < into.size()) {
        const auto got = ::pread(fd_.get(), into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            fail_writing(file_, "read");
        if (got == 0)
            break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

void sync_directory(const std::filesystem::path& directory)
{
    const unique_fd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd || ::fsync(fd.get()) != 0)
        fail_writing(directory, "sync");
}

}    // namespace caisson::sqlite

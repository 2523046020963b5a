#include "app/backup/files.hpp"

#include "adapters/crypto/sha256.hpp"
#include "core/base/unique_fd.hpp"
#include "storage/sqlite/directory_lock.hpp"
#include "storage/sqlite/file_bytes.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace caisson::backup {

namespace {

constexpr std::size_t piece_bytes = 1 << 20;
constexpr const char* lock_name = "work.lock";
constexpr std::uint64_t spare_bytes = 4 << 20;    // for SQLite's temporary files

[[noreturn]] void fail(const std::filesystem::path& file, const char* doing)
{
    throw std::system_error(errno, std::generic_category(), std::string("cannot ") + doing + " " + file.string());
}

unique_fd open_to_read(const std::filesystem::path& file)
{
    unique_fd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat found{};
    if (!fd || ::fstat(fd.get(), &found) != 0)
        fail(file, "open");
    if (!S_ISREG(found.st_mode))
        throw std::runtime_error(file.string() + " is not a file");
    return fd;
}

unique_fd open_to_write(const std::filesystem::path& file)
{
    unique_fd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd)
        fail(file, "make");
    return fd;
}

void write_all(const unique_fd& fd, const std::filesystem::path& file, std::string_view bytes)
{
    while (!bytes.empty()) {
        const auto written = ::write(fd.get(), bytes.data(), bytes.size());
        if (written < 0 && errno != EINTR)
            fail(file, "write");
        if (written > 0)
            bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

/// Reads a file to its end and passes each piece to `take`.
template <class F>
file_entry read_through(const std::filesystem::path& file, const progress& told, F take)
{
    const auto fd = open_to_read(file);
    file_entry found{file.filename().string(), 0, "", 0};
    const auto total = std::filesystem::file_size(file);
    sha256_stream hash;
    std::vector<char> piece(piece_bytes);
    for (;;) {
        const auto got = ::read(fd.get(), piece.data(), piece.size());
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            fail(file, "read");
        if (got == 0)
            break;
        const std::string_view bytes(piece.data(), static_cast<std::size_t>(got));
        hash.add(bytes);
        take(bytes);
        found.bytes += bytes.size();
        told(found.name, found.bytes, total);
    }
    found.sha256 = hash.finish();
    return found;
}

/// True for names that a work directory contains. Files with other names are foreign and must not be removed.
bool is_made_here(const std::string& name)
{
    const auto is_of = [&name](std::string_view database) { return name.starts_with(database); };
    return name == manifest_name || is_of("records.db") || is_of("events.db") || is_of("content.db") || name.ends_with(".lock");
}

/// True for a directory, not a symbolic link, that contains no foreign files.
bool is_left_over(const std::filesystem::path& directory)
{
    if (!std::filesystem::is_directory(std::filesystem::symlink_status(directory)))
        return false;
    for (const auto& each : std::filesystem::directory_iterator(directory))
        if (!is_made_here(each.path().filename().string()))
            return false;
    return true;
}

std::filesystem::path parent_of(const std::filesystem::path& file) { return file.has_parent_path() ? file.parent_path() : "."; }

}    // namespace

work_directory::work_directory(const std::filesystem::path& target, std::string_view ending)
    : target_(target), path_(std::filesystem::path(target).concat(ending))
{
    const bool made = ::mkdir(path_.c_str(), 0700) == 0;
    if (!made && errno != EEXIST)
        fail(path_, "make the directory");
    try {
        take();
    } catch (...) {
        std::error_code ignored;
        if (made)    // on a full disk even the lock file cannot be written
            std::filesystem::remove_all(path_, ignored);
        throw;
    }
}

/// Locks the existing directory and empties it.
void work_directory::take()
{
    if (!is_left_over(path_))
        throw std::runtime_error(path_.string() + " is needed for the work, but something else has that name: move it away");
    auto lock = sqlite::directory_lock::try_take(path_ / lock_name);
    if (!lock)
        throw std::runtime_error("another process is working in " + path_.string() + "; wait for it");
    lock_ = std::make_unique<sqlite::directory_lock>(std::move(*lock));
    for (const auto& each : std::filesystem::directory_iterator(path_))
        if (each.path().filename() != lock_name)
            std::filesystem::remove_all(each.path());
}

work_directory::~work_directory()
{
    if (path_.empty())
        return;
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

void work_directory::put_in_place(placement how)
{
    std::filesystem::remove(path_ / lock_name);
    sqlite::sync_directory(path_);
    const unsigned exchange = how == placement::replace ? RENAME_EXCHANGE : 0;
    if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target_.c_str(), exchange) != 0)
        fail(target_, "put in place");
    sqlite::sync_directory(parent_of(target_));
    if (how == placement::fresh)
        path_.clear();    // after an exchange path_ is the old target, which the destructor removes
}

file_entry copy_file(const std::filesystem::path& from, const std::filesystem::path& to, const progress& told)
{
    const auto out = open_to_write(to);
    const auto found = read_through(from, told, [&](std::string_view bytes) { write_all(out, to, bytes); });
    if (::fsync(out.get()) != 0)
        fail(to, "sync");
    return found;
}

file_entry measure_file(const std::filesystem::path& file, const progress& told)
{
    return read_through(file, told, [](std::string_view) { });
}

void write_text(const std::filesystem::path& file, std::string_view text)
{
    const auto out = open_to_write(file);
    write_all(out, file, text);
    if (::fsync(out.get()) != 0)
        fail(file, "sync");
}

void require_space(const std::filesystem::path& directory, std::uint64_t bytes)
{
    std::error_code unknown;
    const auto space = std::filesystem::space(directory, unknown);
    if (!unknown && space.available < bytes + spare_bytes)
        throw std::runtime_error("there is not enough space in " + directory.string() + ": " + std::to_string((bytes + spare_bytes) >> 20) +
                                 " MiB are needed, " + std::to_string(space.available >> 20) + " MiB are free");
}

}    // namespace caisson::backup

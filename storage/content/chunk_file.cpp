#include "storage/content/chunk_file.hpp"

#include "storage/sqlite/database.hpp"
#include "storage/sqlite/errors.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <cerrno>
#include <cstring>
#include <vector>

namespace caisson::sqlite {

namespace {

/// The layer takes no more at once than the largest page has.
constexpr std::size_t most_written = 64 << 10;

std::int64_t offset_of(std::int64_t place) { return (place - 1) * static_cast<std::int64_t>(chunk_bytes); }

/// A signal may come between.
bool lock_whole(int fd, int how)
{
    while (::flock(fd, how) != 0)
        if (errno != EINTR)
            return false;
    return true;
}

/// Made durable like any database, before rows name what is in it.
const std::filesystem::path& made(const std::filesystem::path& database)
{
    make_file(chunk_file_of(database));
    return database;
}

}    // namespace

std::filesystem::path chunk_file_of(const std::filesystem::path& database) { return std::filesystem::path(database).concat("-chunks"); }

chunk_reader::chunk_reader(const std::filesystem::path& database, access wanted)
    : file_(chunk_file_of(database)), fd_(::open(file_.c_str(), (wanted == access::read ? O_RDONLY : O_RDWR) | O_CLOEXEC | O_NONBLOCK))
{
    if (!fd_ && errno != ENOENT)
        throw_broken(file_, "open");
}

void chunk_reader::hold() const
{
    if (fd_ && !lock_whole(fd_.get(), LOCK_SH))
        throw_broken(file_, "lock");
}

std::int64_t chunk_reader::places() const
{
    struct stat found{};
    if (!fd_)
        return 0;
    if (::fstat(fd_.get(), &found) != 0)
        throw_broken(file_, "look at");
    return found.st_size / static_cast<std::int64_t>(chunk_bytes);
}

std::size_t chunk_reader::read(std::int64_t place, std::size_t offset, std::span<char> into) const
{
    std::size_t done = 0;
    const auto begin = offset_of(place) + static_cast<std::int64_t>(offset);
    while (fd_ && done < into.size()) {
        const auto got = ::pread(fd_.get(), into.data() + done, into.size() - done, begin + static_cast<std::int64_t>(done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            throw_broken(file_, "read");
        if (got == 0)
            break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

std::string chunk_reader::read(std::int64_t place) const
{
    std::string bytes(chunk_bytes, '\0');
    bytes.resize(read(place, 0, bytes));
    return bytes;
}

/// A file of SQLite's own layer, which tests watch and break.
struct chunk_file::handle {
    explicit handle(const std::filesystem::path& database)
        : vfs(sqlite3_vfs_find(nullptr))
        , memory(static_cast<std::size_t>(vfs->szOsFile))
        , name(sqlite3_create_filename(chunk_file_of(database).c_str(), "", "", 0, nullptr))
    {
        const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_WAL;    // the database's owner and mode
        const int code = vfs->xOpen(vfs, name, file(), flags, nullptr);
        if (code == SQLITE_OK)
            return;
        sqlite3_free_filename(name);
        throw_error(nullptr, code, "open " + chunk_file_of(database).string());
    }
    ~handle()
    {
        file()->pMethods->xClose(file());
        sqlite3_free_filename(name);
    }
    handle(const handle&) = delete;
    handle& operator=(const handle&) = delete;
    sqlite3_file* file() { return reinterpret_cast<sqlite3_file*>(memory.data()); }

    sqlite3_vfs* vfs;
    std::vector<std::max_align_t> memory;
    const char* name;
};

chunk_file::chunk_file(const std::filesystem::path& database)
    : chunk_reader(made(database), access::write), handle_(std::make_unique<handle>(database))
{
}

chunk_file::~chunk_file() = default;

void chunk_file::write(std::int64_t place, std::string_view bytes)
{
    written_ = true;
    auto* const file = handle_->file();
    for (std::size_t done = 0; done < bytes.size(); done += most_written) {
        const auto part = bytes.substr(done, most_written);
        const auto at = offset_of(place) + static_cast<std::int64_t>(done);
        const int code = file->pMethods->xWrite(file, part.data(), static_cast<int>(part.size()), at);
        if (code != SQLITE_OK)
            throw_error(nullptr, code, "write a chunk");
    }
}

void chunk_file::sync()
{
    if (!written_)
        return;
    auto* const file = handle_->file();
    const int code = file->pMethods->xSync(file, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY);
    if (code != SQLITE_OK)
        throw_error(nullptr, code, "sync chunks");
    written_ = false;
}

void chunk_file::give_back(std::int64_t place)
{
    ::fallocate(fd(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset_of(place), static_cast<off_t>(chunk_bytes));
}

std::uint64_t chunk_file::room() const
{
    struct statvfs found{};
    return ::fstatvfs(fd(), &found) == 0 ? std::uint64_t{found.f_bavail} * found.f_frsize : 0;
}

chunk_file::freeing::freeing(chunk_file& of)
    : of_(of), turn_(of.turn_), readers_(of.readers_), allowed_(lock_whole(of.fd(), LOCK_EX | LOCK_NB))
{
}

chunk_file::freeing::~freeing()
{
    if (allowed_)
        lock_whole(of_.fd(), LOCK_UN);
}

}    // namespace caisson::sqlite

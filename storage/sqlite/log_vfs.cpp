#include "storage/sqlite/log_vfs.hpp"

#include "storage/sqlite/errors.hpp"
#include "storage/sqlite/wal_file.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

/// Called by SQLite through C: whatever throws here is caught here.
namespace caisson::sqlite {

namespace {

constexpr std::size_t most_held_bytes = 120 << 10;    // SQLite's own layer writes less than 128 KiB at a time
/// By how much a file of the layer below may be larger than it was when this one was made: tests exchange that layer.
constexpr int spare_bytes = 256;

sqlite3_vfs& below() { return *sqlite3_vfs_find(nullptr); }

/// A log that is open.
class held_log {
public:
    held_log() : memory_(static_cast<std::size_t>(below().szOsFile)) { }

    sqlite3_file* file() { return reinterpret_cast<sqlite3_file*>(memory_.data()); }
    const sqlite3_io_methods& calls() { return *file()->pMethods; }

    void hold() { holds_ = true; }

    int write(std::string_view bytes, sqlite3_int64 offset)
    {
        if (!holds_)
            return put(bytes, offset);
        if (!held_.empty() && (offset != end() || held_.size() + bytes.size() > most_held_bytes))
            if (const int code = flush(); code != SQLITE_OK)
                return code;
        if (bytes.size() > most_held_bytes)
            return put(bytes, offset);
        if (held_.empty())
            begin_ = offset;
        held_.append(bytes);
        const bool is_page = bytes.size() > frame_header_bytes;
        const bool is_last = is_page && commits_;
        commits_ = !is_page && is_commit(bytes);
        return is_last ? flush() : SQLITE_OK;
    }

    void let_go()
    {
        held_.clear();
        commits_ = false;
    }
    /// What could not be written is let go of: SQLite takes the transaction back, and writes over it.
    int flush()
    {
        if (held_.empty())
            return SQLITE_OK;
        const int code = put(held_, begin_);
        let_go();
        return code;
    }

private:
    sqlite3_int64 end() const { return begin_ + static_cast<sqlite3_int64>(held_.size()); }
    int put(std::string_view bytes, sqlite3_int64 offset)
    {
        return calls().xWrite(file(), bytes.data(), static_cast<int>(bytes.size()), offset);
    }
    /// Of a frame's header: the second word is the size of the database after a commit, else 0.
    static bool is_commit(std::string_view header)
    {
        return header.size() == frame_header_bytes && header.substr(4, 4) != std::string_view("\0\0\0\0", 4);
    }

    std::vector<std::max_align_t> memory_;
    bool holds_ = false;
    std::string held_;
    sqlite3_int64 begin_ = 0;
    bool commits_ = false;    // the page of a committing frame comes next
};

struct log_file {
    sqlite3_file base;
    held_log* log;
};

held_log& log_of(sqlite3_file* file) { return *reinterpret_cast<log_file*>(file)->log; }

/// `call` once nothing is held any more.
template <class F>
int flushed(sqlite3_file* file, F call)
{
    auto& log = log_of(file);
    const int code = log.flush();
    return code == SQLITE_OK ? call(log.calls(), log.file()) : code;
}

/// What is still held belongs to no commit.
int close_log(sqlite3_file* file)
{
    const std::unique_ptr<held_log> log(&log_of(file));
    return log->calls().xClose(log->file());
}

int read_log(sqlite3_file* file, void* into, int size, sqlite3_int64 offset)
{
    return flushed(file, [=](const auto& calls, sqlite3_file* real) { return calls.xRead(real, into, size, offset); });
}

int write_log(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset)
{
    try {
        return log_of(file).write({static_cast<const char*>(bytes), static_cast<std::size_t>(size)}, offset);
    } catch (const std::bad_alloc&) {
        log_of(file).let_go();
        return SQLITE_IOERR_NOMEM;
    }
}

int cut_log(sqlite3_file* file, sqlite3_int64 size)
{
    return flushed(file, [=](const auto& calls, sqlite3_file* real) { return calls.xTruncate(real, size); });
}

int sync_log(sqlite3_file* file, int flags)
{
    return flushed(file, [=](const auto& calls, sqlite3_file* real) { return calls.xSync(real, flags); });
}

int size_of_log(sqlite3_file* file, sqlite3_int64* size)
{
    return flushed(file, [=](const auto& calls, sqlite3_file* real) { return calls.xFileSize(real, size); });
}

int lock_log(sqlite3_file* file, int level) { return log_of(file).calls().xLock(log_of(file).file(), level); }
int unlock_log(sqlite3_file* file, int level) { return log_of(file).calls().xUnlock(log_of(file).file(), level); }
int reserved_log(sqlite3_file* file, int* out) { return log_of(file).calls().xCheckReservedLock(log_of(file).file(), out); }
int control_log(sqlite3_file* file, int what, void* with) { return log_of(file).calls().xFileControl(log_of(file).file(), what, with); }
int sector_of_log(sqlite3_file* file) { return log_of(file).calls().xSectorSize(log_of(file).file()); }
int device_of_log(sqlite3_file* file) { return log_of(file).calls().xDeviceCharacteristics(log_of(file).file()); }

/// Version 1: shared memory and mapping are the database file's.
constexpr sqlite3_io_methods log_calls{1, close_log, read_log, write_log, cut_log, sync_log, size_of_log, lock_log, unlock_log,
    reserved_log, control_log, sector_of_log, device_of_log, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr};

int open_log(const char* path, sqlite3_file* into, int flags, int* out_flags)
{
    auto log = std::make_unique<held_log>();
    if (const int code = below().xOpen(&below(), path, log->file(), flags, out_flags); code != SQLITE_OK)
        return code;
    new (into) log_file{{&log_calls}, log.release()};
    return SQLITE_OK;
}

int open_any(sqlite3_vfs* self, const char* path, sqlite3_file* into, int flags, int* out_flags)
{
    into->pMethods = nullptr;
    if (below().szOsFile > self->szOsFile)
        return SQLITE_CANTOPEN;
    if ((flags & SQLITE_OPEN_WAL) == 0)
        return below().xOpen(&below(), path, into, flags, out_flags);
    try {
        return open_log(path, into, flags, out_flags);
    } catch (const std::bad_alloc&) {
        return SQLITE_NOMEM;
    }
}

/// In static storage for as long as the process lives.
sqlite3_vfs made_vfs()
{
    sqlite3_vfs made = below();    // what is not changed here uses nothing of the structure
    made.pNext = nullptr;
    made.zName = "caisson-log";
    made.szOsFile = std::max(made.szOsFile, static_cast<int>(sizeof(log_file))) + spare_bytes;
    made.xOpen = open_any;
    made.xDelete = [](sqlite3_vfs*, const char* path, int sync_directory) { return below().xDelete(&below(), path, sync_directory); };
    made.xAccess = [](sqlite3_vfs*, const char* path, int flags, int* out) { return below().xAccess(&below(), path, flags, out); };
    made.xFullPathname = [](sqlite3_vfs*, const char* path, int size, char* out) {
        return below().xFullPathname(&below(), path, size, out);
    };
    return made;
}

}    // namespace

const char* log_vfs()
{
    static sqlite3_vfs registered = made_vfs();
    static const int code = sqlite3_vfs_register(&registered, 0);
    if (code != SQLITE_OK)
        throw storage_error(storage_fault::broken, "SQLite refuses a layer below it");
    return registered.zName;
}

void hold_frames(sqlite3_file* log)
{
    if (log->pMethods != &log_calls)
        throw storage_error(
            storage_fault::broken, "a database has no write-ahead log (-wal) here: put the data directory on a local file system");
    log_of(log).hold();
}

}    // namespace caisson::sqlite

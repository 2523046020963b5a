#include "tests/storage/fault_vfs.hpp"

#include <sqlite3.h>

#include <filesystem>
#include <mutex>
#include <new>
#include <stdexcept>

namespace caisson::testing {

using kind = disk_operation::kind;

struct fault_vfs::state {
    sqlite3_vfs vfs{};
    sqlite3_vfs* real = nullptr;
    sqlite3_io_methods methods{};
    mutable std::mutex mutex;
    std::vector<disk_operation> trace;
    bool armed = false;
    std::size_t working = 0;
    std::size_t failed = 0;
    disk_fault how = disk_fault::full;

    /// What the next change of the disk returns; SQLITE_OK if it works.
    int next(kind what, int broken_code)
    {
        const std::lock_guard lock(mutex);
        if (!armed || (how == disk_fault::full && what != kind::write))
            return SQLITE_OK;
        if (working > 0) {
            --working;
            return SQLITE_OK;
        }
        ++failed;
        return how == disk_fault::full ? SQLITE_FULL : broken_code;
    }
    void note(disk_operation done)
    {
        const std::lock_guard lock(mutex);
        trace.push_back(std::move(done));
    }
};

namespace {

struct watched_file {
    sqlite3_file base;
    fault_vfs::state* owner;
    std::string* name;    // null for temporary files, which are not watched
    sqlite3_file* real;
};

watched_file& of(sqlite3_file* file) { return *reinterpret_cast<watched_file*>(file); }
sqlite3_file* real(sqlite3_file* file) { return of(file).real; }
fault_vfs::state& of(sqlite3_vfs* vfs) { return *static_cast<fault_vfs::state*>(vfs->pAppData); }

int watched_close(sqlite3_file* file)
{
    auto& mine = of(file);
    const int code = mine.real->pMethods->xClose(mine.real);
    delete mine.name;
    return code;
}

int watched_read(sqlite3_file* file, void* into, int size, sqlite3_int64 offset)
{
    return real(file)->pMethods->xRead(real(file), into, size, offset);
}

int watched_write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset)
{
    auto& mine = of(file);
    if (mine.name == nullptr)
        return mine.real->pMethods->xWrite(mine.real, bytes, size, offset);
    if (const int fault = mine.owner->next(kind::write, SQLITE_IOERR_WRITE); fault != SQLITE_OK)
        return fault;
    mine.owner->note({kind::write, *mine.name, offset, std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(size))});
    return mine.real->pMethods->xWrite(mine.real, bytes, size, offset);
}

int watched_truncate(sqlite3_file* file, sqlite3_int64 size)
{
    auto& mine = of(file);
    if (mine.name != nullptr) {
        if (const int fault = mine.owner->next(kind::truncate, SQLITE_IOERR_TRUNCATE); fault != SQLITE_OK)
            return fault;
        mine.owner->note({kind::truncate, *mine.name, size, ""});
    }
    return mine.real->pMethods->xTruncate(mine.real, size);
}

int watched_sync(sqlite3_file* file, int flags)
{
    auto& mine = of(file);
    if (mine.name != nullptr)
        if (const int fault = mine.owner->next(kind::sync, SQLITE_IOERR_FSYNC); fault != SQLITE_OK)
            return fault;
    const int code = mine.real->pMethods->xSync(mine.real, flags);
    if (mine.name != nullptr)
        mine.owner->note({kind::sync, *mine.name, 0, ""});
    return code;
}

int watched_size(sqlite3_file* file, sqlite3_int64* size) { return real(file)->pMethods->xFileSize(real(file), size); }
int watched_lock(sqlite3_file* file, int level) { return real(file)->pMethods->xLock(real(file), level); }
int watched_unlock(sqlite3_file* file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }
int watched_reserved(sqlite3_file* file, int* out) { return real(file)->pMethods->xCheckReservedLock(real(file), out); }
int watched_control(sqlite3_file* file, int what, void* with) { return real(file)->pMethods->xFileControl(real(file), what, with); }
int watched_sector(sqlite3_file* file) { return real(file)->pMethods->xSectorSize(real(file)); }
int watched_device(sqlite3_file* file) { return real(file)->pMethods->xDeviceCharacteristics(real(file)); }
int watched_shm_map(sqlite3_file* file, int page, int size, int extend, void volatile** out)
{
    return real(file)->pMethods->xShmMap(real(file), page, size, extend, out);
}
int watched_shm_lock(sqlite3_file* file, int offset, int n, int flags)
{
    return real(file)->pMethods->xShmLock(real(file), offset, n, flags);
}
void watched_shm_barrier(sqlite3_file* file) { real(file)->pMethods->xShmBarrier(real(file)); }
int watched_shm_unmap(sqlite3_file* file, int remove) { return real(file)->pMethods->xShmUnmap(real(file), remove); }

int vfs_open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* out_flags)
{
    auto& owner = of(vfs);
    auto* const mine = new (file) watched_file{};
    mine->owner = &owner;
    mine->real = reinterpret_cast<sqlite3_file*>(mine + 1);
    int existed = 1;
    if (path != nullptr)
        owner.real->xAccess(owner.real, path, SQLITE_ACCESS_EXISTS, &existed);
    const int code = owner.real->xOpen(owner.real, path, mine->real, flags, out_flags);
    if (code != SQLITE_OK)
        return code;
    mine->base.pMethods = &owner.methods;
    if (path == nullptr || (flags & SQLITE_OPEN_DELETEONCLOSE) != 0)
        return code;
    mine->name = new std::string(std::filesystem::path(path).filename());
    if (existed == 0)
        owner.note({kind::create, *mine->name, 0, ""});
    return code;
}

int vfs_delete(sqlite3_vfs* vfs, const char* path, int sync_directory)
{
    auto& owner = of(vfs);
    const int code = owner.real->xDelete(owner.real, path, sync_directory);
    if (code == SQLITE_OK) {
        const auto name = std::filesystem::path(path).filename().string();
        owner.note({kind::remove, name, 0, ""});
        if (sync_directory != 0)
            owner.note({kind::sync, name, 0, ""});
    }
    return code;
}

constexpr sqlite3_io_methods watched_methods{2, watched_close, watched_read, watched_write, watched_truncate, watched_sync, watched_size,
    watched_lock, watched_unlock, watched_reserved, watched_control, watched_sector, watched_device, watched_shm_map, watched_shm_lock,
    watched_shm_barrier, watched_shm_unmap, nullptr, nullptr};

}    // namespace

fault_vfs::fault_vfs() : state_(std::make_shared<state>())
{
    state_->real = sqlite3_vfs_find(nullptr);
    state_->methods = watched_methods;
    state_->vfs = *state_->real;    // what is not changed here is the real one's: it uses nothing of the structure
    state_->vfs.pNext = nullptr;
    state_->vfs.zName = "faults";
    state_->vfs.pAppData = state_.get();
    state_->vfs.szOsFile = static_cast<int>(sizeof(watched_file)) + state_->real->szOsFile;
    state_->vfs.xOpen = vfs_open;
    state_->vfs.xDelete = vfs_delete;
    state_->vfs.xAccess = [](sqlite3_vfs* vfs, const char* path, int flags, int* out) {
        return of(vfs).real->xAccess(of(vfs).real, path, flags, out);
    };
    state_->vfs.xFullPathname = [](sqlite3_vfs* vfs, const char* path, int size, char* out) {
        return of(vfs).real->xFullPathname(of(vfs).real, path, size, out);
    };
    if (sqlite3_vfs_register(&state_->vfs, 1) != SQLITE_OK)
        throw std::logic_error("the file system of the test cannot be registered");
}

fault_vfs::~fault_vfs()
{
    sqlite3_vfs_unregister(&state_->vfs);
    sqlite3_vfs_register(state_->real, 1);
}

std::size_t fault_vfs::mark() const
{
    const std::lock_guard lock(state_->mutex);
    return state_->trace.size();
}

std::vector<disk_operation> fault_vfs::take_trace()
{
    const std::lock_guard lock(state_->mutex);
    return std::exchange(state_->trace, {});
}

void fault_vfs::fail_after(std::size_t working, disk_fault how)
{
    const std::lock_guard lock(state_->mutex);
    state_->armed = true;
    state_->working = working;
    state_->failed = 0;
    state_->how = how;
}

std::size_t fault_vfs::heal()
{
    const std::lock_guard lock(state_->mutex);
    state_->armed = false;
    return state_->failed;
}

}    // namespace caisson::testing

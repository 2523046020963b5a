#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace caisson::testing {

/// What a program did to the disk: the order is that in which it happened.
struct disk_operation {
    enum class kind { write, truncate, sync, create, remove };
    kind what = kind::write;
    std::string file;           // without its folder
    std::int64_t offset = 0;    // truncate: the new size
    std::string bytes;
};

enum class disk_fault {
    full,      // SQLITE_FULL: nothing more can be written
    broken,    // SQLITE_IOERR: neither written nor synced nor cut
};

/// While it lives, what SQLite opens anew in this process goes through it: to real files, with everything that changes them
/// noted, and with faults on demand. One at a time; from any thread.
class fault_vfs {
public:
    fault_vfs();
    ~fault_vfs();
    fault_vfs(const fault_vfs&) = delete;
    fault_vfs& operator=(const fault_vfs&) = delete;

    /// How many operations were noted so far.
    std::size_t mark() const;
    std::vector<disk_operation> take_trace();

    /// After `working` more changes of the disk all fail, until heal().
    void fail_after(std::size_t working, disk_fault how);
    /// How many failed since fail_after(); none fails from now on.
    std::size_t heal();

    struct state;

private:
    std::shared_ptr<state> state_;
};

}    // namespace caisson::testing

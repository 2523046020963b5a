#pragma once

#include "core/async/notifier.hpp"
#include "core/async/timers.hpp"
#include "core/base/error.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace caisson::docker {

/// This server's knowledge of one package's volume.
struct package_entry {
    std::string name;
    std::uint64_t last_use = 0;
    std::string made_at = {};    // the engine's creation time when last brought
    std::string mark = {};       // the mark that says that this volume is whole; empty: unknown
    std::size_t users = 0;
    bool busy = false;    // being inspected, filled or removed

    bool is_idle() const { return !busy && users == 0; }
};
using package_entry_ptr = std::shared_ptr<package_entry>;

/// Protects a package's volume from removal while a container with it is created.
class package_use {
public:
    explicit package_use(package_entry_ptr of);
    ~package_use();
    package_use(const package_use&) = delete;
    package_use& operator=(const package_use&) = delete;

    const std::string& volume() const;
    /// True if the volume was created at `made_at`, or if its creation time is unknown.
    bool is_of(const std::string& made_at) const;

private:
    package_entry_ptr of_;
};

/// The entries by name, with exclusive turns. I/O thread only.
class package_entries {
public:
    explicit package_entries(io_executor executor) : changed_(executor) { }

    /// Exclusive access to an entry.
    class turn;

    /// Creates the entry if it is unknown.
    package_entry_ptr find(const std::string& name);
    /// Drops the entry unless it has users, which include those waiting for a turn.
    void forget(const package_entry_ptr& entry);
    void note_use(package_entry& of) { of.last_use = next_use_++; }
    /// The entries of `names` without users or a turn: never used ones first, then the least recently used.
    std::vector<package_entry_ptr> idle(const std::vector<std::string>& names);
    /// Returns once the entry is not busy. Errors: errc::timed_out. `time` must outlive the task.
    task<result<void>> wait_for_turn(timers& time, package_entry_ptr entry);

private:
    std::map<std::string, package_entry_ptr, std::less<>> entries_;
    std::uint64_t next_use_ = 1;
    notifier changed_;
};

/// The package_entries must outlive it.
class package_entries::turn {
public:
    turn(package_entry_ptr of, package_entries& in) : of_(std::move(of)), in_(in) { of_->busy = true; }
    ~turn()
    {
        of_->busy = false;
        in_.changed_.notify_all();
    }
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;

private:
    package_entry_ptr of_;
    package_entries& in_;
};

}    // namespace caisson::docker

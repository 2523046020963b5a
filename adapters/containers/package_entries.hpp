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

/// What this server knows of one package's volume.
struct package_entry {
    std::string name;
    std::uint64_t last_use = 0;
    std::string made_at = {};    // as the engine told it when it was brought the last time
    std::string mark = {};       // that says that this one is whole; empty: not known
    std::size_t users = 0;
    bool busy = false;    // it is looked at, filled or removed

    bool is_idle() const { return !busy && users == 0; }
};
using package_entry_ptr = std::shared_ptr<package_entry>;

/// A package's volume while a container is made of it: nobody removes it.
class package_use {
public:
    explicit package_use(package_entry_ptr of);
    ~package_use();
    package_use(const package_use&) = delete;
    package_use& operator=(const package_use&) = delete;

    const std::string& volume() const;
    /// Whether that is when it was made, as far as this is known.
    bool is_of(const std::string& made_at) const;

private:
    package_entry_ptr of_;
};

/// Entries by name, and who has one's turn. I/O thread.
class package_entries {
public:
    explicit package_entries(io_executor executor) : changed_(executor) { }

    /// Holds an entry for one who does something with it.
    class turn;

    /// A new one if it is not known.
    package_entry_ptr find(const std::string& name);
    /// Unless somebody waits for its turn.
    void forget(const package_entry_ptr& one);
    void note_use(package_entry& of) { of.last_use = next_use_++; }
    /// Those of `names` that nobody uses or holds; what was used longest ago is first, and what was not used yet before that.
    std::vector<package_entry_ptr> idle(const std::vector<std::string>& names);
    /// Returns when nobody holds it. Errors: errc::timed_out. `time` outlives the task.
    task<result<void>> wait_for_turn(timers& time, package_entry_ptr one);

private:
    std::map<std::string, package_entry_ptr, std::less<>> entries_;
    std::uint64_t next_use_ = 1;
    notifier changed_;
};

/// The package_entries outlives it.
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

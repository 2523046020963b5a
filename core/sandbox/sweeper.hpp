#pragma once

#include "core/async/notifier.hpp"
#include "core/async/task_group.hpp"
#include "core/sandbox/services.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace caisson {

/// Removes what crashes and failures left behind: sandboxes that their holders do not need, records of sandboxes that are gone, old
/// records, and what the chores look for. Never touches a sandbox that a holder needs or of which an object lives, and ends nothing in
/// one: its holder sees the end. What cannot be removed is logged once and tried again after 1 s, 2 s, 4 s and so on, at the latest
/// after the interval of sweeps. I/O thread.
class sweeper {
public:
    /// `rules` outlive it, and so does what `services` and `holders` refer to. A recorded sandbox of a kind without a holder here stays.
    sweeper(sandbox_services services, sandbox_holders holders, const sweep_rules& rules);

    /// Begins to sweep: now, and then again the rules' interval after each end. Returns when the first sweep is over, at the latest
    /// after 5 s, when it goes on in the background. Errors: what the stores said in the first sweep.
    task<result<void>> start();
    /// Something was left behind that nobody holds any more: the next sweep comes in a second.
    void soon();
    /// Cancels what runs and returns when nothing does. What was not done is found again by the next sweep.
    task<> stop() { return background_.stop(); }

    struct counts {
        std::size_t sweeps = 0;     // that ended
        std::size_t removed = 0;    // left-overs, since the start
        std::size_t failing = 0;    // left-overs that the last sweep could not remove
    };
    counts totals() const { return {sweeps_, removed_, failing_.size()}; }

private:
    /// Something that may have to go.
    struct suspect {
        sandbox_id id;
        std::string runtime;
        std::string runtime_state;    // of its record
        bool found = false;           // the runtime has seen something of it
        bool recorded = false;        // as alive
    };
    using suspects = std::map<sandbox_id, suspect>;

    task<> run();
    task<> wait_for_first();
    task<> rest();
    task<result<void>> sweep();
    task<result<suspects>> find_suspects();
    task<result<void>> take_out_held(std::shared_ptr<suspects> from);
    task<> list(std::shared_ptr<suspects> into);
    task<> remove_all(std::vector<suspect> all);
    task<result<bool>> remove(suspect what);
    task<> do_chores();
    task<> erase_old_records();
    std::vector<suspect> fresh_first(suspects all) const;
    void succeeded(const std::string& what, std::size_t count);
    void failed(const std::string& what, const error& why);

    const sandbox_services use_;
    const sandbox_holders holders_;
    const sweep_rules& rules_;
    task_group background_;
    notifier over_;
    notifier asked_;
    std::uint64_t heard_ = 0;               // of asked_, before the sweep that runs or ran last
    std::chrono::milliseconds patience_;    // until the next sweep, after one that failed
    std::optional<result<void>> first_;
    std::size_t sweeps_ = 0;
    std::size_t removed_ = 0;
    std::set<std::string> failing_;    // as of the last sweep
    std::set<std::string> tried_;      // of failing_, what the sweep that runs has met
};

}    // namespace caisson

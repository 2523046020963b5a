#pragma once

#include "core/async/timers.hpp"
#include "core/base/log.hpp"
#include "core/exec/ports.hpp"
#include "core/exec/record/kept_records.hpp"

#include <functional>
#include <optional>

namespace caisson {

/// Removes ended executions that are too old, or more than their tenant may have, the oldest first and one after the other: what was
/// removed by then stays removed. Those stay whose files a checkpoint names, or whose webhook is still to be delivered. Everything
/// referred to outlives it. I/O thread.
class record_retention {
public:
    struct services {
        timers& time;
        logger& log;
        execution_store& executions;
        const kept_records& kept;
        std::function<task<result<void>>(tenant_id, execution_id)> erase;    // as execution_service::erase()
    };
    /// How many one round removed.
    struct report {
        std::size_t too_old = 0;
        std::size_t beyond = 0;
    };

    explicit record_retention(services use) : use_(std::move(use)) { }

    /// One round after the other, until it is cancelled. What fails is logged and tried again with the next round.
    task<> run();
    /// One round: of each tenant some, so that none waits for another's; it looks for those that are too old if that is due. Errors: those
    /// of the store, and the last one of `erase`, which keeps the others from nothing.
    task<result<report>> clean();

private:
    enum class what_next { remove, pass, stop };

    /// Goes through the executions, the oldest first, as `judge` says, until a page of them was removed; how many were.
    task<result<std::size_t>> remove_in_order(std::optional<tenant_id> tenant, std::function<what_next(const kept_execution&)> judge);
    task<result<std::size_t>> remove_old();
    task<result<std::size_t>> remove_oldest_of(tenant_id tenant);
    task<bool> remove(kept_execution which);

    services use_;
    std::optional<steady_time> next_age_look_;    // nothing before the first one
    std::optional<error> failure_;                // of this round
};

}    // namespace caisson

#pragma once

#include "core/async/timers.hpp"
#include "core/base/log.hpp"
#include "core/exec/kept_records.hpp"
#include "core/exec/ports.hpp"

#include <functional>
#include <optional>

namespace caisson {

/// Removes ended executions that are too old, or more than their tenant may have, the oldest first and one after the other: what was
/// removed by then stays removed. Everything referred to outlives it. I/O thread.
class record_retention {
public:
    struct services {
        timers& time;
        logger& log;
        execution_store& executions;
        const kept_records& kept;
        std::function<task<result<void>>(tenant_id, execution_id)> erase;    // as execution_service::erase()
        std::function<void()> after_round = {};                              // may be not set
    };
    /// How many one round removed.
    struct report {
        std::size_t too_old = 0;
        std::size_t beyond = 0;
    };

    explicit record_retention(services use) : use_(std::move(use)) { }

    /// One round after the other, until it is cancelled. What fails is logged and tried again with the next round.
    task<> run();
    /// One round; it looks for those that are too old if that is due. Errors and exceptions: what the store and `erase` say.
    task<result<report>> clean();

private:
    enum class what_next { remove, pass, stop };

    /// Goes through the executions, the oldest first, as `judge` says; how many were removed.
    task<result<std::size_t>> remove_in_order(std::optional<tenant_id> tenant, std::function<what_next(const kept_execution&)> judge);
    task<result<std::size_t>> remove_old();
    task<result<std::size_t>> remove_oldest_of(tenant_id tenant);
    task<result<bool>> remove(kept_execution which);

    services use_;
    std::optional<steady_time> next_age_look_;    // nothing before the first one
};

}    // namespace caisson

#pragma once

#include "core/admission/admission.hpp"
#include "core/async/task_group.hpp"
#include "core/exec/ending_watch.hpp"
#include "core/exec/execution_access.hpp"
#include "core/exec/execution_life.hpp"
#include "core/exec/live_executions.hpp"
#include "core/exec/services.hpp"
#include "core/pool/stocker.hpp"
#include "core/pool/warm_pool.hpp"
#include "core/sandbox/sweeper.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace caisson {

/// The end of an execution_service: leaves what runs to the next server, or ends it. Nothing is accepted any more. I/O thread only.
class execution_shutdown {
public:
    /// All outlive it.
    execution_shutdown(const execution_services& services, admission& queue, warm_pool& pool, stocker& stock, sweeper& sweeps,
        task_group& cleanup, execution_life& life, live_executions& live, execution_access& access)
        : use_(services)
        , queue_(queue)
        , pool_(pool)
        , stock_(stock)
        , sweeper_(sweeps)
        , cleanup_(cleanup)
        , life_(life)
        , live_(live)
        , access_(access)
    {
    }

    /// As execution_service::hand_over(), once nothing is accepted any more.
    task<result<void>> hand_over(steady_time until);
    /// As execution_service::end_all(), the same.
    task<result<void>> end_all(end_bounds within);

private:
    task<> wait_until_stable();
    task<> flush_all();
    task<> stop_tasks();
    task<> cancel_and_wait(std::vector<std::pair<tenant_id, execution_id>> all);
    task<> wait_for_ends(std::size_t unasked);
    task<> watch_ends(end_bounds within, std::size_t all);
    ends_left left_to_end() const { return {live_.size(), cleanup_.size()}; }

    const execution_services& use_;
    admission& queue_;
    warm_pool& pool_;
    stocker& stock_;
    sweeper& sweeper_;
    task_group& cleanup_;
    execution_life& life_;
    live_executions& live_;
    execution_access& access_;
};

}    // namespace caisson

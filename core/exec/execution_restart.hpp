#pragma once

#include "core/admission/admission.hpp"
#include "core/exec/execution_life.hpp"
#include "core/exec/live_executions.hpp"
#include "core/exec/record/kept_records.hpp"
#include "core/exec/record/record.hpp"
#include "core/exec/services.hpp"
#include "core/sandbox/sweeper.hpp"

#include <memory>
#include <string>
#include <vector>

namespace caisson {

/// Takes up what an earlier server left: sweeps the runtimes, re-attaches what runs, queues what waited. I/O thread only.
class execution_restart {
public:
    /// All outlive it.
    execution_restart(const execution_services& services, admission& queue, sweeper& sweeps, execution_life& life, live_executions& live,
        kept_records& kept)
        : use_(services), queue_(queue), sweeper_(sweeps), life_(life), live_(live), kept_(kept)
    {
    }

    /// Once, before anything is accepted. Errors: what the stores say.
    task<result<void>> start();

private:
    task<> take_up_all(std::vector<unfinished_execution> left);
    task<> take_up_later(std::shared_ptr<unfinished_execution> left, std::string why);
    task<result<void>> take_up(std::shared_ptr<unfinished_execution> left);
    task<result<state_said>> last_state(std::shared_ptr<unfinished_execution> left, log_position end);
    task<result<void>> finish_from_log(std::shared_ptr<unfinished_execution> left, log_extent extent);

    const execution_services& use_;
    admission& queue_;
    sweeper& sweeper_;
    execution_life& life_;
    live_executions& live_;
    kept_records& kept_;
};

}    // namespace caisson

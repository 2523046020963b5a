#pragma once

#include "core/exec/collect/collect_stage.hpp"
#include "core/exec/compile/compile_stage.hpp"
#include "core/exec/execution.hpp"
#include "core/exec/placement.hpp"
#include "core/exec/program_stage.hpp"
#include "core/exec/record/execution_recorder.hpp"
#include "core/exec/sandbox_disposal.hpp"
#include "core/exec/sandbox_provider.hpp"
#include "core/exec/services.hpp"
#include "core/pool/idle_gate.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace caisson {

/// Takes executions from acceptance to their recorded end, one attempt after the other. Cancelling its work leaves the sandbox as it is,
/// for the next server. I/O thread only.
class execution_life {
public:
    /// All outlive it; `cleanup` ends sandboxes after their executions.
    execution_life(const execution_services& services, admission& queue, sandbox_service& sandboxes, idle_gate& gate, task_group& cleanup)
        : use_(services)
        , queue_(queue)
        , idle_gate_(gate)
        , placement_(services, queue)
        , provider_(services, placement_, sandboxes)
        , recorder_(services, queue)
        , disposal_(services, queue, gate, cleanup, sandboxes, provider_)
        , collect_stage_(services, gate, provider_)
        , compile_stage_(services, recorder_)
        , programs_(services, provider_, recorder_, compile_stage_, collect_stage_)
    {
    }

    /// To its recorded end: a new execution, or one that had not come to its sandbox, or waited for its next attempt, when an earlier
    /// server ended.
    task<> carry_out(execution_ptr exec);
    /// One whose program may run in a sandbox that an earlier server made. It is lost only if nothing is left of the sandbox; other
    /// failures are tried again until a while after its wall limit, or after a cancel.
    task<> take_up(execution_ptr exec);
    /// One whose end, written into its row already, is in the log but not in its record. Returns when the record has it.
    task<> finish(execution_ptr exec);
    /// One whose carry_out(), take_up() or finish() threw: ends it with the server's failure as its cause, or as it had ended by then. If
    /// that cannot be recorded either the next server ends it from what is stored; its sandbox and its place are given up in any case.
    task<> break_off(execution_ptr exec, std::string what);

    /// Starts the program of a new execution at this moment, if a sandbox is ready and nothing else has to be waited for. Call it only if
    /// record_policy chose `begun` or `ended`. It has a place and a sandbox then, which nothing records yet; run_begun() or discard() must
    /// follow. It is `starting` until then. Takes `place` then; else nothing happened.
    bool begin_now(const execution_ptr& exec, waiting_place& place);
    /// The same for an execution whose sandbox is made first: with the permit for that it has its place, and make_now() must follow.
    std::optional<runtime_breakers::permit> begin_making(const execution_ptr& exec, waiting_place& place);
    /// Makes the sandbox and starts the program; run_begun() or discard() must follow. Errors: why there is none, when run_failed() or
    /// discard() must.
    task<result<void>> make_now(execution_ptr exec, runtime_breakers::permit permit);
    /// As carry_out(), of one whose first attempt failed with `why` in make_now().
    task<> run_failed(execution_ptr exec, error why);
    /// From its begin to its recorded end. One that is not recorded yet must have ended, as wait_for_exit_and_streams() says, and its end
    /// is its first record then: it is `recorded` afterwards, or `refused` or a `failure` says why not, and nothing of it stays.
    task<> run_begun(execution_ptr exec);
    /// True when its program and both streams have ended and that may be what is recorded first; false when that may not be any more.
    static task<bool> wait_for_exit_and_streams(execution_ptr exec);
    /// What is to be stored of one that was given its sandbox.
    sandbox_provider::begin_record record(const execution& exec) const { return provider_.record(exec); }

    const placement& places() const { return placement_; }
    sandbox_disposal& disposal() { return disposal_; }

private:
    /// What follows an attempt.
    enum class after { end, again };

    task<after> attempt(execution_ptr exec);
    task<after> leave_unadmitted(execution_ptr exec);
    task<after> conclude_unstarted(execution_ptr exec, std::optional<error> why);
    void note_failure(execution& exec, const error& why, ending_facts& facts) const;
    task<after> run_in_sandbox(execution_ptr exec);
    task<after> go_on(execution_ptr exec);
    task<after> conclude(execution_ptr exec, ending_facts facts);
    task<> record_end(execution_ptr exec, ending end, std::optional<attempt_fault> fault);
    task<result<void>> conclude_broken(execution_ptr exec);
    task<result<void>> store_decided(execution_ptr exec);
    static bool may_end_unrecorded(const execution& exec);
    // execution_retry.cpp
    task<> fetch_spec(execution_ptr exec);
    std::optional<std::chrono::milliseconds> delay_of_next(
        execution& exec, const ending& end, attempt_fault fault, const ending_facts& facts);
    task<> schedule(execution_ptr exec, ending end, attempt_fault fault, std::chrono::milliseconds delay);
    task<> make_ready_for_next(execution_ptr exec);

    const execution_services& use_;
    admission& queue_;
    idle_gate& idle_gate_;
    placement placement_;
    sandbox_provider provider_;
    execution_recorder recorder_;
    sandbox_disposal disposal_;
    collect_stage collect_stage_;
    compile_stage compile_stage_;
    program_stage programs_;
};

}    // namespace caisson

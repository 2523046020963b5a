#pragma once

#include "core/exec/execution.hpp"
#include "core/exec/placement.hpp"
#include "core/exec/services.hpp"
#include "core/sandbox/sandbox_service.hpp"

#include <optional>

namespace caisson {

/// Gives attempts their sandboxes: says what an attempt needs, takes a lease of sandbox_service, records it, and hears its agent. I/O
/// thread only.
class sandbox_provider {
public:
    /// All outlive it.
    sandbox_provider(const execution_services& services, const placement& where, sandbox_service& sandboxes)
        : use_(services), placement_(where), sandboxes_(sandboxes)
    {
    }

    /// A sandbox for the attempt that was begun, recorded, and its agent heard; tells the runtime's breaker what came of it.
    task<result<void>> try_sandbox(execution_ptr exec, runtime_breakers::permit permit);
    /// Like try_sandbox(), for an execution that is recorded later. A sandbox that has become ready meanwhile serves too.
    task<result<void>> make_unrecorded(execution_ptr exec);

    /// Holds the skill's package if it is in the cache. False: it has to be waited for.
    bool hold_package_now(execution& exec);
    /// With its package, if it has one, as that is held.
    sandbox_spec sandbox_for(const execution& exec);
    sandbox_shape shape_of(const execution& exec, sandbox_spec wanted) const;
    bool has_ready(const sandbox_shape& wanted) const { return sandboxes_.has_ready(wanted); }
    /// Takes one that is ready. False: there is none.
    bool claim_sandbox(execution& exec, const sandbox_shape& wanted);
    /// Writes into the row what the sandbox is.
    void note_sandbox(execution& exec) const;
    /// Writes into the row what the runtime does not enforce. Before the first probe too, one that does not isolate says so.
    void note_degraded(execution& exec) const;

    struct begin_record {
        execution_row execution;
        sandbox_row sandbox;
    };
    /// What is to be stored of one that was given its sandbox.
    begin_record record(const execution& exec) const;

    /// Keeps the link going; what ends it is heard from then on.
    void keep_link(const execution_ptr& exec);
    /// Waits for the sandbox's own end too. Repeats do nothing.
    void keep_watch(const execution_ptr& exec);

    /// Finds the sandbox that an earlier server made. Errors: errc::gone, with the reason, if there is none to go on with; other errors may
    /// pass.
    task<result<void>> recover_sandbox(execution_ptr exec);
    /// Tries until that sandbox is found and its group is open, or it is gone, or the execution cannot wait longer.
    task<result<void>> find_sandbox_patiently(execution_ptr exec);

    /// Whether its agent died, and programs cannot have ended it.
    bool agent_was_taken(const execution& exec) const;

private:
    task<result<void>> find_sandbox(execution_ptr exec);
    task<result<sandbox_spec>> describe_sandbox(execution_ptr exec);
    task<result<void>> hold_package(execution_ptr exec);
    task<result<void>> make_sandbox(execution_ptr exec, sandbox_shape wanted);
    task<result<void>> record_sandbox(execution_ptr exec);
    task<result<void>> reach_agent(execution_ptr exec);
    task<result<void>> hold_link(execution_ptr exec);
    task<result<void>> open_link(execution_ptr exec);
    error without_words_of_the_store(error what, const execution_id& id) const;
    task<result<void>> find_sandbox_again(execution_ptr exec);
    bool out_of_patience(const execution& exec, steady_time began, std::optional<steady_time>& cancel_seen) const;

    static group_limits group_limits_of(const execution& exec);

    const execution_services& use_;
    const placement& placement_;
    sandbox_service& sandboxes_;
};

}    // namespace caisson

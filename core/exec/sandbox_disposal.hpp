#pragma once

#include "core/admission/admission.hpp"
#include "core/async/task_group.hpp"
#include "core/exec/execution.hpp"
#include "core/exec/sandbox_provider.hpp"
#include "core/exec/services.hpp"
#include "core/pool/idle_gate.hpp"
#include "core/sandbox/sandbox_service.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace caisson {

/// Removes the sandboxes of attempts that have ended. I/O thread only.
class sandbox_disposal {
public:
    /// All outlive it. Its work runs in `cleanup`.
    sandbox_disposal(const execution_services& services, admission& queue, idle_gate& gate, task_group& cleanup, sandbox_service& sandboxes,
        sandbox_provider& provider)
        : use_(services), queue_(queue), idle_gate_(gate), cleanup_(cleanup), sandboxes_(sandboxes), provider_(provider)
    {
    }

    /// Tells the agent to forget the program and to end. Does nothing without a link.
    static void release_agent(execution& exec);
    /// Removes its sandbox, and forgets what was in it. `cause` is for the record.
    task<> end_sandbox(execution_ptr exec, std::string cause);
    /// In the background: removes the sandbox of one that has ended, and gives its place back.
    void clean_up_after(const execution_ptr& exec);
    /// One that was begun and could not be recorded: ends it, and nothing of it stays.
    void discard(const execution_ptr& exec);

    /// Executions that are over, but for what is done in their background until their sandboxes are gone: whoever ends that sooner has to
    /// stop it.
    const std::unordered_set<execution_ptr>& leaving() const { return leaving_; }

private:
    void clean_up(const execution_ptr& exec, std::string_view what, task<> work);
    static std::optional<std::int64_t> held_by(const execution& exec);
    task<> let_answers_go();
    task<> dispose(execution_ptr exec);
    task<> end_discarded(execution_ptr exec);
    task<> recover_for_removal(execution_ptr exec);
    task<result<void>> remove_sandbox(execution_ptr exec, std::string cause);

    const execution_services& use_;
    admission& queue_;
    idle_gate& idle_gate_;
    task_group& cleanup_;
    sandbox_service& sandboxes_;
    sandbox_provider& provider_;
    std::unordered_set<execution_ptr> leaving_;
    std::size_t put_off_ = 0;           // ends of sandboxes that gave their place back
    std::int64_t put_off_bytes_ = 0;    // what these hold at most
};

}    // namespace caisson

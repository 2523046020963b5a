#pragma once

#include "core/exec/admission.hpp"
#include "core/exec/live_execution.hpp"
#include "core/exec/services.hpp"

namespace caisson {

/// Takes executions from acceptance to their recorded end: queue, sandbox, link, program, verdict, clean-up. One run() per
/// execution, in a task_group of the service. Cancelling a run() leaves the sandbox as it is, for the next server.
class runner {
public:
    /// All outlive the runner; `cleanup` ends sandboxes after their executions.
    runner(const execution_services& services, admission& queue, task_group& cleanup) : use_(services), queue_(queue), cleanup_(cleanup) { }

    using live_ptr = std::shared_ptr<live_execution>;

    /// A new execution, or one that had not come to its sandbox when an earlier server ended.
    task<> run(live_ptr one);
    /// One whose program may run in a sandbox that an earlier server made. It is lost only if nothing is left of the sandbox; other
    /// failures are tried again until a while after its wall limit, or after a cancel.
    task<> take_up(live_ptr one);
    /// One whose end, written into its row already, is in the log but not in its record. Returns when the record has it.
    task<> finish(live_ptr one);
    /// One whose run() or take_up() threw: ends it with the server's failure as its cause. If that cannot be recorded either the next
    /// server ends it from what is stored; its sandbox and its place are given up in any case.
    task<> break_off(live_ptr one, std::string what);

private:
    /// What the server did to an execution that it watches.
    struct watch {
        ending_facts facts;
        std::optional<steady_time> cancel_sent;
        bool killed = false;
        std::optional<steady_time> killed_at;
    };

    /// After the wall limit, so much later the server does the agent's work: it ends the program.
    static constexpr std::chrono::seconds wall_backstop{3};
    /// An agent that does not say how the program stands is waited for that much longer.
    static constexpr std::chrono::seconds silence_grace{30};

    static double ms_between(steady_time from, steady_time to) { return std::chrono::duration<double, std::milli>(to - from).count(); }

    task<result<void>> conclude_broken(live_ptr one, std::string what);
    task<bool> wait_for_admission(live_ptr one);
    task<result<void>> make_sandbox(live_ptr one);
    task<result<void>> record_sandbox(live_ptr one);
    task<result<void>> open_link(live_ptr one);
    void make_link(live_execution& one);
    void keep_link(live_ptr one);
    task<result<void>> recover_sandbox(live_ptr one);
    task<result<void>> find_sandbox_again(live_ptr one);
    task<result<void>> insist_on_sandbox(live_ptr one);
    bool out_of_patience(const live_execution& one, steady_time began, std::optional<steady_time>& cancel_seen) const;
    task<> go_on(live_ptr one);
    result<void> open_group(live_execution& one);
    void start_program(live_execution& one);
    protocol::spawn_request spawn_request_for(const live_execution& one) const;

    task<> run_in_sandbox(live_ptr one);
    task<> supervise(live_ptr one, std::shared_ptr<watch> watched);
    void look(live_execution& one, watch& watched);
    void look_at_group(live_execution& one, watch& watched);
    void look_at_wishes(live_execution& one, watch& watched);
    void look_at_clock(live_execution& one, watch& watched);
    void look_at_log(live_execution& one, watch& watched);
    static void kill(live_execution& one, watch& watched, steady_time now);
    static bool over(const live_execution& one);

    task<> conclude(live_ptr one, ending_facts facts);
    task<> drain_streams(live_ptr one);
    task<> hear_streams_out(live_ptr one);
    void fill_usage(live_execution& one, const ending_facts& facts) const;
    task<> record_end(live_ptr one, ending_facts facts);
    task<> store_final(live_ptr one);
    task<> dispose(live_ptr one);
    task<> recover_and_dispose(live_ptr one);
    task<result<void>> remove_sandbox(live_ptr one);

    const execution_services& use_;
    admission& queue_;
    task_group& cleanup_;
};

}    // namespace caisson

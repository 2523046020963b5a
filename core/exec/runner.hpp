#pragma once

#include "core/admission/admission.hpp"
#include "core/admission/runtime_breakers.hpp"
#include "core/exec/collect/collector.hpp"
#include "core/exec/execution.hpp"
#include "core/exec/limit_watch.hpp"
#include "core/exec/services.hpp"
#include "core/exec/stocker.hpp"
#include "core/exec/sweeper.hpp"
#include "core/exec/warm_pool.hpp"

#include <unordered_set>

namespace caisson {

struct compile_order;

/// Takes executions from acceptance to their recorded end: queue, sandbox, link, program, verdict, clean-up. One run() per
/// execution, in a task_group of the service. Cancelling a run() leaves the sandbox as it is, for the next server.
class runner {
public:
    /// All outlive the runner; `cleanup` ends sandboxes after their executions, and `sweeps` has those that could not be ended.
    runner(const execution_services& services, admission& queue, warm_pool& pool, stocker& stock, idle_gate& gate, task_group& cleanup,
        sweeper& sweeps)
        : use_(services)
        , queue_(queue)
        , pool_(pool)
        , stock_(stock)
        , idle_gate_(gate)
        , cleanup_(cleanup)
        , sweeps_(sweeps)
        , breakers_(services.time, services.log)
    {
    }

    using live_ptr = std::shared_ptr<execution>;

    /// Starts the program of a new execution at this moment, if a sandbox is ready and nothing else has to be waited for. Call it only if
    /// record_policy chose `begun` or `ended`. It has a place and a sandbox then, which nothing records yet; run_begun() or discard() must
    /// follow. It is `starting` until then. Takes `place` then; else nothing happened.
    bool begin_now(live_ptr one, waiting_place& place);
    /// The same for an execution whose sandbox is made first: with the permit for that it has its place, and make_now() must follow.
    std::optional<runtime_breakers::permit> begin_making(live_ptr one, waiting_place& place);
    /// Makes the sandbox and starts the program; run_begun() or discard() must follow. Errors: why there is none, when run_failed() or
    /// discard() must.
    task<result<void>> make_now(live_ptr one, runtime_breakers::permit permit);
    /// Whether the runtime is enabled and no breaker keeps executions from it.
    bool takes_at_once(const std::string& runtime) const;
    /// Whether begin_making() may be true for executions on that runtime.
    bool makes_soon(const std::string& runtime) const;
    /// As run(), of one whose first attempt failed with `why` in make_now().
    task<> run_failed(live_ptr one, error why);
    struct begin_record {
        execution_row execution;
        sandbox_row sandbox;
    };
    /// What is to be stored of one that was given its sandbox.
    begin_record record(const execution& one) const;
    /// From its begin to its recorded end. One that is not recorded yet must have ended, as wait_for_exit_and_streams() says, and its end
    /// is its first record then: it is `recorded` afterwards, or `refused` or a `record_failure` says why not, and nothing of it stays.
    task<> run_begun(live_ptr one);
    /// True when its program and both streams have ended and that may be what is recorded first; false when that may not be any more.
    static task<bool> wait_for_exit_and_streams(live_ptr one);
    /// One that was begun and could not be recorded: ends it, and nothing of it stays.
    void discard(live_ptr one);
    /// A new execution, or one that had not come to its sandbox, or waited for its next attempt, when an earlier server ended.
    task<> run(live_ptr one);
    /// One whose program may run in a sandbox that an earlier server made. It is lost only if nothing is left of the sandbox; other
    /// failures are tried again until a while after its wall limit, or after a cancel.
    task<> take_up(live_ptr one);
    /// One whose end, written into its row already, is in the log but not in its record. Returns when the record has it.
    task<> finish(live_ptr one);
    /// One whose run(), take_up() or finish() threw: ends it with the server's failure as its cause, or as it had ended by then. If that
    /// cannot be recorded either the next server ends it from what is stored; its sandbox and its place are given up in any case.
    task<> break_off(live_ptr one, std::string what);

    /// Whether sandboxes of a runtime are made at present.
    runtime_breakers::view breaker_of(const std::string& runtime) const { return breakers_.of(runtime); }

    /// Executions that are over, but for what is done in their background until their sandboxes are gone: whoever ends that sooner has to
    /// stop it.
    const std::unordered_set<live_ptr>& leaving() const { return leaving_; }

private:
    /// What follows an attempt.
    enum class after { end, again };

    struct compile_run;

    static constexpr std::chrono::seconds place_grace{30};    // of one that has ended and cannot be stored
    /// A first attempt waits that long for a runtime that is unavailable.
    static constexpr std::chrono::minutes outage_patience{10};

    static std::int64_t rounded_ms(std::int64_t us) { return (us + 500) / 1000; }
    static double ms_between(steady_time from, steady_time to) { return std::chrono::duration<double, std::milli>(to - from).count(); }

    task<result<void>> conclude_broken(live_ptr one);
    task<result<void>> store_decided(live_ptr one);
    task<after> attempt(live_ptr one);
    task<> wait_for_next(live_ptr one);
    task<std::optional<runtime_breakers::permit>> wait_for_turn(live_ptr one);
    // runner_image.cpp
    std::optional<runtime_breakers::permit> ask_for_permit(execution& one);
    bool can_fall_back(const execution& one, const std::string& runtime) const;
    void take_runtime(execution& one, const std::string& name) const;
    bool runs_in_image(const execution& one) const;
    task<bool> find_image(live_ptr one);
    task<> wait_for_image(live_ptr one);
    static result<void> check_image(execution& one);

    task<bool> wait_for_admission(live_ptr one);
    task<bool> wait_for_runtime(live_ptr one, const runtime_breakers::place* place);
    task<> wait_until_woken(live_ptr one, steady_time until);
    static steady_time latest_begin(const execution& one);
    static steady_time latest_trial(const execution& one);
    task<after> leave_unadmitted(live_ptr one);
    task<> fetch_spec(live_ptr one);
    std::optional<std::chrono::milliseconds> delay_of_next(
        execution& one, const ending& end, attempt_fault fault, const ending_facts& facts);
    task<> schedule(live_ptr one, ending end, attempt_fault fault, std::chrono::milliseconds delay);
    task<> store_schedule(live_ptr one);
    task<> make_ready_for_next(live_ptr one);

    task<result<void>> try_sandbox(live_ptr one, runtime_breakers::permit permit);
    void note_failure(execution& one, const error& why, ending_facts& facts) const;
    task<result<void>> find_sandbox(live_ptr one);
    bool claim_sandbox(execution& one, const pool_shape& wanted);
    task<result<void>> make_sandbox(live_ptr one, sandbox_spec wanted);
    task<result<void>> start_sandbox(live_ptr one, runtime* where);
    void note_degraded(execution& one) const;
    task<result<sandbox_spec>> describe_sandbox(live_ptr one);
    task<result<void>> hold_package(live_ptr one);
    task<std::string> problem_of_output(live_ptr one);
    static void judge_output(execution& one, const std::string& problem);
    task<result<void>> record_sandbox(live_ptr one);
    void note_sandbox(execution& one) const;
    pool_shape shape_of(const execution& one, const sandbox_spec& wanted) const;
    sandbox_spec sandbox_for(const execution& one);
    bool is_enabled(const std::string& runtime) const;
    task<result<void>> make_unrecorded(live_ptr one);
    static bool may_end_unrecorded(const execution& one);
    task<after> conclude_unstarted(live_ptr one, std::optional<error> why);
    bool hold_image_now(execution& one) const;
    bool hold_package_now(execution& one);
    task<> end_discarded(live_ptr one);
    task<result<void>> reach_agent(live_ptr one);
    task<result<void>> hold_link(live_ptr one);
    error without_words_of_the_store(error what, const execution_id& id) const;
    task<result<void>> open_link(live_ptr one);
    void keep_link(live_ptr one);
    void keep_watch(live_ptr one);
    task<result<void>> recover_sandbox(live_ptr one);
    task<result<void>> find_sandbox_again(live_ptr one);
    task<result<void>> find_sandbox_patiently(live_ptr one);
    bool out_of_patience(const execution& one, steady_time began, std::optional<steady_time>& cancel_seen) const;
    task<after> go_on(live_ptr one);
    bool agent_was_taken(const execution& one) const;
    result<void> open_group(execution& one);
    void start_program(execution& one);
    protocol::spawn_request spawn_request_for(const execution& one) const;

    task<after> run_in_sandbox(live_ptr one);
    std::shared_ptr<limit_watch> watch_of(const execution& one) const;
    task<> supervise(live_ptr one, std::shared_ptr<limit_watch> watched);
    std::chrono::milliseconds between_looks() const;
    void look(execution& one, limit_watch& watched);
    // runner_compile.cpp
    task<bool> compile(live_ptr one, std::shared_ptr<limit_watch> watched);
    result<void> open_compiler_group(execution& one, compile_run& run) const;
    task<std::optional<protocol::exec_number>> end_earlier_compilers(live_ptr one);
    void start_compiler(const live_ptr& one, protocol::exec_number number, compile_run& run) const;
    protocol::spawn_request compile_request_for(const execution& one) const;
    task<> watch_compiler(live_ptr one, std::shared_ptr<compile_run> run);
    void look_at_compiler(execution& one, compile_run& run) const;
    task<> drain_compiler(live_ptr one, std::shared_ptr<compile_run> run);
    void judge_compiler(execution& one, compile_run& run, ending_facts& facts_of_program) const;
    static bool ended_plainly(const execution& one, const compile_run& run);
    task<> store_compile_report(live_ptr one);
    // runner_compiled.cpp
    compile_order order_of(execution& one) const;
    bool may_keep_compiled(const execution& one, const compile_inputs& inputs) const;
    task<bool> use_compiled(live_ptr one, std::shared_ptr<compile_order> order);
    task<> record_compiled(live_ptr one, std::shared_ptr<compile_order> order);
    task<std::optional<std::vector<placed_file>>> capture_compiled(live_ptr one, std::shared_ptr<compile_order> order);
    protocol::spawn_request capture_request(
        const execution& one, const std::string& directory, collect_spec what, std::int64_t most_bytes) const;
    static bool over(const execution& one);

    task<after> conclude(live_ptr one, ending_facts facts);
    bool is_surely_over(const execution& one) const;
    task<> drain_streams(live_ptr one);
    void ask_for_files_at_end(execution& one) const;
    task<> keep_files(live_ptr one);
    task<> keep_files_again(live_ptr one);
    task<result<collected_files>> collect_files(live_ptr one);
    task<collected_files> take_files(live_ptr one);
    task<collected_files> fetch_files(live_ptr one);
    collector::job job_of(const execution& one) const;
    static void mark_files(execution& one);
    task<> hear_streams_out(live_ptr one);
    void fill_usage(execution& one, const ending_facts& facts) const;
    task<> record_end(live_ptr one, ending end, std::optional<attempt_fault> fault);
    task<> store_log(live_ptr one);
    void give_place_up(execution& one);
    static void append_exit_event(execution& one);
    task<> store_end(live_ptr one);
    task<> store_final(live_ptr one);
    task<> store_first_and_final(live_ptr one);
    task<std::optional<checkpoint_end>> checkpoint_of(live_ptr one);
    task<> reload_checkpoint_note(live_ptr one);
    static void release_agent(execution& one);
    void clean_up_after(live_ptr one);
    void clean_up(const live_ptr& one, std::string_view what, task<> work);
    static std::optional<std::int64_t> held_by(const execution& one);
    task<> let_answers_go();
    task<> dispose(live_ptr one);
    task<> end_sandbox(live_ptr one, std::string cause);
    task<> recover_for_removal(live_ptr one);
    task<result<void>> remove_sandbox(live_ptr one, std::string cause);

    const execution_services& use_;
    admission& queue_;
    warm_pool& pool_;
    stocker& stock_;
    idle_gate& idle_gate_;
    task_group& cleanup_;
    std::unordered_set<live_ptr> leaving_;    // whose sandboxes are being removed
    sweeper& sweeps_;
    std::size_t supervised_ = 0;        // executions whose programs run
    std::size_t put_off_ = 0;           // ends of sandboxes that gave their place back
    std::int64_t put_off_bytes_ = 0;    // what these hold at most
    runtime_breakers breakers_;
};

}    // namespace caisson

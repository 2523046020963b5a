#pragma once

#include "core/admission/candidate.hpp"
#include "core/async/notifier.hpp"
#include "core/async/task_group.hpp"
#include "core/exec/agent_process.hpp"
#include "core/exec/compile/compile_cache.hpp"
#include "core/exec/ending.hpp"
#include "core/exec/program_sink.hpp"
#include "core/exec/stdin_feed.hpp"
#include "core/exec/types.hpp"
#include "core/files/ports.hpp"
#include "core/images/types.hpp"
#include "core/log/live_log.hpp"
#include "core/runtime/ports.hpp"
#include "core/sandbox/lease.hpp"
#include "core/skills/ports.hpp"

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace caisson {

class files_at_end;
struct compiler_process;

/// Where an execution that has not ended stands in this server. A server that ends may leave the waiting and the running
/// ones as they are, and those that are compiled; the others are short and are waited for.
enum class run_phase { waiting, starting, compiling, running, ending, ended };

/// The sandbox of the attempt that runs, and what is in it beside the program.
struct attempt_state {
    std::optional<result<stored_image>> image;    // what its sandbox is made of, or why that is not to be had
    std::shared_ptr<const skill_tree> tree;       // of a skill: held until the sandbox is gone
    sandbox_lease lease;                          // of its sandbox, with the program's group
    group_usage before_program;                   // what the group had used when the program was started
    std::vector<placed_file> placed;              // what is put into the sandbox with the program, besides spec.files
    std::shared_ptr<files_at_end> at_end;         // what its agent collects by itself; null: it was not asked to
    std::optional<disk_usage> disk_at_end;        // read once its leader had ended
    /// Until the attempt's end: the agent may not have taken all orders to them yet.
    std::vector<std::shared_ptr<compiler_process>> compilers;
    bool at_host = false;         // while a sandbox is made: what fails now is the host's, not the execution's or the stores'
    bool taken_up = false;        // an earlier server made the sandbox
    bool sandbox_gone = false;    // found out: nothing is left of it
};

/// What was heard of the attempt's program.
struct program_facts {
    bool started = false;             // and its state event is in the log
    bool start_heard = false;         // by this server: started_at is exact
    bool agent_died = false;          // it is known to run no more
    bool unknown_to_agent = false;    // it is to be compiled, or started
    std::optional<protocol::exit_report> exited;
    std::string start_failure;    // a sentence
    std::string lost;             // why the agent cannot be heard any more
    std::optional<steady_time> first_byte_at;
    steady_time asked_at;      // since when the agent is to say how the program stands
    steady_time started_at;    // until the start is heard: the earliest that it can be
    steady_time exited_at;

    /// The program ended, did not start, or is lost. Output may follow.
    bool is_over() const { return exited || !start_failure.empty() || !lost.empty(); }
};

/// How far an execution is recorded. Its program may start before its first record.
struct first_record_state {
    bool recorded = true;
    bool sandbox_recorded = true;    // or will be as soon as there is one
    bool end_awaited = false;        // by who asked for it: its end may be what is recorded first
    steady_time::duration took{};    // to be stored
    std::optional<error> refused;    // it cannot be recorded: nothing of it stays
    std::exception_ptr failure;      // the same
};

/// What ended attempts leave to the next one: when it may begin, or why there is none.
struct attempt_clock {
    steady_time first_began;                  // the deadline over all counts from here
    steady_time next_at;                      // while row.next_attempt_at_ms is set
    std::optional<steady_time> refused_at;    // since when its runtime's breaker keeps it from its next attempt
    std::string no_other;                     // why the last one is not repeated, though the policy names what happened
};

/// What an execution leaves: stored with its end, and kept until then.
struct execution_left {
    std::vector<artifact_row> artifacts;
    std::unique_ptr<content_batch> held;       // keeps their contents until then
    std::optional<std::string> output_text;    // of the file spec.collect.output; nothing: it is not there
    std::string output_problem;                // it is there and cannot be read: why
    std::optional<event_list> whole_log;       // which is stored with the record
    std::int64_t kept_bytes = 0;               // of all of it
    bool is_said = false;                      // its exit event was given to the log
};

/// One execution that has not ended, with all that this server holds of it. Whoever waits for it waits on `changed`. The stages of its
/// life change it; the service's calls only leave wishes here. I/O thread only.
class execution final : public candidate {
public:
    execution(io_executor executor, timers& time, logger& logs, execution_row the_row, execution_spec the_spec,
        std::shared_ptr<live_log> the_log);
    ~execution() override;

    execution_row row;
    execution_spec spec;
    const std::shared_ptr<live_log> log;
    notifier changed;
    task_group background;    // the log's commits
    run_phase phase = run_phase::waiting;
    const steady_time accepted_at;
    first_record_state record;
    attempt_clock tries;
    attempt_state current;
    program_facts heard;
    stdin_feed stdin_bytes;
    execution_left left;

    /// Wakes everyone who waits for a change.
    void wake() override { changed.notify_all(); }
    bool has_begun() const override { return !row.attempts.empty(); }
    std::uint64_t waiting_bytes() const override { return content_bytes(spec) + stdin_bytes.end(); }
    bool cancel_wanted() const { return row.cancel_requested; }

    /// The attempt that runs, or the last; there is one.
    execution_attempt& attempt() { return row.attempts.back(); }
    /// What runs from now on writes behind what is in the log, as the attempt that runs.
    void begin_attempt();
    /// What comes from the agent belongs to the attempt that runs, whose begin is in the record.
    void continue_attempt();
    /// Forgets what was heard of an attempt that is over, but for what was given for stdin and no program took.
    void forget_attempt();

    /// Its sandbox; null: it has none.
    caisson::sandbox* sandbox() const { return current.lease.home ? &current.lease.home->box() : nullptr; }
    /// Of its program, at its sandbox's agent.
    protocol::exec_number number() const { return current.lease.number; }
    /// To the sandbox's agent; null before the sandbox was started.
    std::shared_ptr<protocol::agent_link> link() const { return current.lease.home ? current.lease.home->link() : nullptr; }
    /// Hears the program from now on; with `resume` it is one that an earlier server started. There is a link.
    void listen(std::optional<protocol::resume_point> resume);
    /// What this server has of the program's output.
    protocol::resume_point resume_point() const;
    /// Hears nothing more of it. Before the link ends.
    void stop_listening() { process_.reset(); }
    /// Marks the program as lost because of `why`. A link that breaks is not connected again.
    void give_up(std::string why);

    /// What the program used so far: the group's readings since its start. There is a group.
    group_usage used() const;
    /// Whether stdin cannot be given to another attempt as it was to this one.
    bool stdin_spent() const;
    /// Of the attempt that runs.
    bool streams_ended() const { return sink_.streams_ended(); }
    bool was_cut() const;
    /// Tells the agent what is safe here, if that is worth a frame.
    void acknowledge(std::uint64_t at_least) { sink_.acknowledge(at_least); }
    /// Queues spec.stdin_data, before all that is given later. Once for each attempt that is to get it; repeats do nothing.
    void give_request_stdin() { stdin_bytes.give_first(std::exchange(spec.stdin_data, {}), !spec.stdin_open); }
    /// Queues stdin for the agent, now or when it is there. The caller checked the offset and !is_closed().
    void give_stdin(shared_bytes bytes, bool last);

private:
    timers& time_;
    program_sink sink_;
    std::unique_ptr<agent_process> process_;    // the program's
};

using execution_ptr = std::shared_ptr<execution>;

/// Wakes an execution, unless it is gone.
inline std::function<void()> waking(const execution_ptr& exec)
{
    return [weak = std::weak_ptr(exec)] {
        if (const auto alive = weak.lock())
            alive->wake();
    };
}

}    // namespace caisson

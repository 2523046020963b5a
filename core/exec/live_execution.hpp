#pragma once

#include "core/admission/waiting_place.hpp"
#include "core/async/notifier.hpp"
#include "core/async/task_group.hpp"
#include "core/exec/claim_hold.hpp"
#include "core/exec/compile/compile_cache.hpp"
#include "core/exec/ending.hpp"
#include "core/exec/types.hpp"
#include "core/files/ports.hpp"
#include "core/images/types.hpp"
#include "core/log/live_log.hpp"
#include "core/protocol/agent_link.hpp"
#include "core/runtime/ports.hpp"
#include "core/sandbox/living_sandbox.hpp"
#include "core/skills/ports.hpp"

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace caisson {

class files_at_end;
struct compiler_process;

/// An agent is told at the latest after so many bytes that they need not be kept any more.
inline constexpr std::uint64_t acknowledge_every = 128 << 10;

/// Where an execution that has not ended stands in this server. A server that ends may leave the waiting and the running
/// ones as they are, and those that are compiled; the others are short and are waited for.
enum class run_phase { waiting, starting, compiling, running, ending, ended };

/// One execution that has not ended, with all that this server holds of it. It hears its agent, and wakes whoever waits on
/// `changed`. Its runner changes it; the service's calls only leave wishes here. I/O thread only.
class live_execution : public protocol::execution_sink {
public:
    live_execution(
        io_executor executor, timers& time, logger& log, execution_row the_row, execution_spec the_spec, std::shared_ptr<live_log> the_log);

    /// The link must not tell it anything any more.
    ~live_execution() override;

    /// Nothing more will be heard of its programs, and why.
    void give_up(std::string why);
    /// Its sandbox; null: it has none.
    caisson::sandbox* sandbox() const { return home ? &home->box() : nullptr; }
    /// To the sandbox's agent; null before the sandbox was started.
    std::shared_ptr<protocol::agent_link> link() const { return home ? home->link() : nullptr; }

    execution_row row;
    execution_spec spec;
    std::vector<artifact_row> artifacts;       // what it left: stored with its end
    std::unique_ptr<content_batch> held;       // keeps their contents until then
    std::optional<std::string> output_text;    // of the file spec.collect.output; nothing: it is not there
    std::string output_problem;                // it is there and cannot be read: why
    const std::shared_ptr<live_log> log;
    notifier changed;
    run_phase phase = run_phase::waiting;
    task_group background;                   // the log's commits
    std::unique_ptr<claim_hold> hold;        // of a sandbox that was ready
    std::shared_ptr<living_sandbox> home;    // of the attempt that runs
    std::vector<placed_file> placed;         // what is put into the sandbox with the program, besides spec.files
    std::vector<std::shared_ptr<compiler_process>>
        compilers;                           // until the attempt's end: the agent may not have taken all orders to them yet
    std::shared_ptr<files_at_end> at_end;    // what its agent collects by itself; nothing: it was not asked to
    std::unique_ptr<execution_group> group;
    group_usage before_program;                   // what the group had used when the program was started
    std::shared_ptr<const skill_tree> tree;       // of a skill: held until the sandbox is gone
    std::optional<result<stored_image>> image;    // of the attempt: what its sandbox is made of, or why that is not to be had

    // Of one whose program was started before it was recorded.
    bool recorded = true;
    bool sandbox_recorded = true;           // or will be as soon as there is one
    bool end_awaited = false;               // by who asked for it: its end may be what is recorded first
    steady_time::duration record_took{};    // to be stored
    std::optional<error> refused;           // it cannot be recorded: nothing of it stays
    std::exception_ptr record_failure;      // the same

    // Its part in admission.
    std::uint64_t turn = 0;    // its ticket, once it has waited
    waiting_place place;
    /// What it holds in memory until it starts.
    std::uint64_t waiting_bytes() const { return content_bytes(spec) + stdin_end; }

    // Attempts: those of row.attempts that were begun.
    steady_time first_began;                  // the deadline over all counts from here
    steady_time next_attempt_at;              // while row.next_attempt_at_ms is set
    std::optional<steady_time> refused_at;    // since when its runtime's breaker keeps it from its next attempt
    std::string no_other;                     // why the last one is not repeated, though the policy names what happened
    /// The attempt that runs, or the last; there is one.
    execution_attempt& attempt() { return row.attempts.back(); }
    /// What runs from now on writes behind what is in the log, as the attempt that runs.
    void begin_attempt();
    /// What comes from the agent belongs to the attempt that runs, whose begin is in the record.
    void continue_attempt();
    /// Forgets what was heard of an attempt that is over, but for what was given for stdin and no program took.
    void forget_attempt();
    /// What the program used so far: the group's readings since its start. There is a group.
    group_usage used() const;
    /// Whether stdin cannot be given to another attempt as it was to this one.
    bool stdin_spent() const;
    /// How much of a stream the attempt's agent need not send again.
    std::uint64_t received_of_attempt(output_stream stream) const;

    // Wishes.
    bool admitted = false;
    bool stepped_out = false;    // admitted, and counted as one that waits: see admission

    std::uint64_t promised_bytes = 0;    // of memory, while it is admitted
    bool cancel_wanted() const { return row.cancel_requested; }

    bool at_host = false;    // while a sandbox is made: what fails now is the host's, not the execution's or the stores'

    // What was heard.
    bool started = false;                   // and its state event is in the log
    bool end_said = false;                  // its exit event was given to the log
    std::optional<event_list> whole_log;    // which is stored with the record's end
    std::int64_t kept_bytes = 0;            // of the end that is stored
    bool start_heard = false;               // by this server: started_at is exact
    bool taken_up = false;                  // an earlier server made the sandbox
    bool sandbox_gone = false;              // found out: nothing is left of it
    bool agent_died = false;                // it is known to run no more
    bool unknown_to_agent = false;
    std::optional<protocol::exit_report> exited;
    std::string start_failure;    // a sentence
    std::string lost;             // why the agent cannot be heard any more
    std::optional<steady_time> first_byte_at;
    steady_time accepted_at;
    steady_time asked_at;      // since when the agent is to say how the program stands
    steady_time started_at;    // until the start is heard: the earliest that it can be
    steady_time exited_at;
    std::optional<disk_usage> disk_at_end;    // read once its leader had ended

    // stdin: bytes [0, stdin_end) were given, the agent took those before stdin_taken. What an earlier server gave is not
    // known until the agent was heard.
    bool stdin_known = true;
    std::uint64_t stdin_end = 0;
    std::uint64_t stdin_taken = 0;
    bool stdin_closed = false;
    bool stdin_end_taken = false;    // the agent knows it

    /// Of the attempt that runs.
    bool streams_ended() const;
    bool was_cut() const;
    /// Tells the agent what is safe here, if that is worth a frame.
    void acknowledge(std::uint64_t at_least);
    /// Queues spec.stdin_data, before all that is given later. Once for each attempt that is to get it; repeats do nothing.
    void give_request_stdin();
    /// Queues stdin for the agent, now or when it is there. The caller checked the offset.
    void give_stdin(shared_bytes bytes, bool last);
    /// Hands what was given before the start to the link. It is kept until the program has started: an agent that turns out
    /// not to have it gets it again.
    void flush_stdin();
    /// Wakes everyone who waits for a change.
    void wake() { changed.notify_all(); }

    void on_was_parked() override { row.stages.interpreter = "warm"; }
    void on_started(std::int32_t pid_in_sandbox, std::uint64_t monotonic_ns) override;
    void on_output(protocol::stream_number stream, std::uint64_t offset, shared_bytes bytes) override;
    void on_gap(protocol::stream_number stream, std::uint64_t offset, std::uint64_t missing) override;
    void on_eof(protocol::stream_number stream, std::uint64_t end) override;
    void on_stdin_taken(std::uint64_t offset) override;
    void on_stdin_ended() override;
    void on_exited(protocol::exit_report report) override;
    void on_start_failed(int code, std::string step) override;
    void on_unknown() override;

private:
    timers& time_;
    std::array<std::uint64_t, 2> base_{};    // where the attempt's streams begin in the log's
    std::array<bool, 2> ended_{};            // its streams
    std::array<std::uint64_t, 2> acknowledged_{};
    std::uint64_t stdin_of_request_ = 0;    // bytes
    bool request_stdin_held_ = false;       // they are in early_stdin_
    std::vector<std::pair<std::uint64_t, shared_bytes>> early_stdin_;
};

/// Wakes an execution, unless it is gone.
inline std::function<void()> waking(const std::shared_ptr<live_execution>& one)
{
    return [weak = std::weak_ptr(one)] {
        if (const auto alive = weak.lock())
            alive->wake();
    };
}

/// The program's number at its sandbox's agent; a one-shot sandbox has one program.
inline constexpr protocol::exec_number only_execution = exec_numbers::first_program;

}    // namespace caisson

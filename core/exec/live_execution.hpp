#pragma once

#include "core/async/notifier.hpp"
#include "core/async/task_group.hpp"
#include "core/exec/ending.hpp"
#include "core/exec/live_log.hpp"
#include "core/exec/types.hpp"
#include "core/exec/waiting_place.hpp"
#include "core/protocol/agent_link.hpp"
#include "core/runtime/ports.hpp"

#include <memory>
#include <optional>
#include <string>

namespace caisson {

/// Where an execution that has not ended stands in this server. A server that ends may leave the waiting and the running
/// ones as they are; the others are short and are waited for.
enum class run_phase { waiting, starting, running, ending, ended };

/// One execution that has not ended, with all that this server holds of it. It hears its agent, and wakes whoever waits on
/// `changed`. Its runner changes it; the service's calls only leave wishes here. I/O thread only.
class live_execution : public protocol::execution_sink {
public:
    live_execution(
        io_executor executor, timers& time, logger& log, execution_row the_row, execution_spec the_spec, std::shared_ptr<live_log> the_log);

    execution_row row;
    execution_spec spec;
    const std::shared_ptr<live_log> log;
    notifier changed;
    run_phase phase = run_phase::waiting;
    task_group background;    // the log's commits, the link, the watch over the sandbox
    std::shared_ptr<caisson::sandbox> sandbox;
    std::shared_ptr<protocol::agent_link> link;
    std::unique_ptr<execution_group> group;

    // Its part in admission.
    std::uint64_t turn = 0;    // its ticket while it waits
    waiting_place place;
    /// What it holds in memory until it starts.
    std::uint64_t waiting_bytes() const { return content_bytes(spec) + stdin_end; }

    // Wishes.
    bool admitted = false;
    bool cancel_wanted() const { return row.cancel_requested; }

    // What was heard.
    bool started = false;         // and its state event is in the log
    bool start_heard = false;     // by this server: started_at is exact
    bool taken_up = false;        // an earlier server made the sandbox
    bool sandbox_gone = false;    // found out: nothing is left of it
    bool unknown_to_agent = false;
    std::optional<protocol::exit_report> exited;
    std::string start_failure;    // a sentence
    std::string lost;             // why the agent cannot be heard any more
    std::optional<steady_time> first_byte_at;
    steady_time accepted_at;
    steady_time asked_at;      // since when the agent is to say how the program stands
    steady_time started_at;    // until the start is heard: the earliest that it can be
    steady_time exited_at;

    // stdin: bytes [0, stdin_end) were given, the agent took those before stdin_taken. What an earlier server gave is not
    // known until the agent was heard.
    bool stdin_known = true;
    std::uint64_t stdin_end = 0;
    std::uint64_t stdin_taken = 0;
    bool stdin_closed = false;
    bool stdin_end_taken = false;    // the agent knows it

    bool streams_ended() const;
    bool was_cut() const;
    /// Tells the agent what is safe here, if that is worth a frame.
    void acknowledge(std::uint64_t at_least);
    /// Queues stdin for the agent, now or when it is there. The caller checked the offset.
    void give_stdin(shared_bytes bytes, bool last);
    /// Hands what was given before the start to the link. It is kept until the program has started: an agent that turns out
    /// not to have it gets it again.
    void flush_stdin();
    /// Wakes everyone who waits for a change.
    void wake() { changed.notify_all(); }

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
    std::array<std::uint64_t, 2> acknowledged_{};
    std::vector<std::pair<std::uint64_t, shared_bytes>> early_stdin_;
};

/// In its sandbox; each one-shot sandbox has one.
inline constexpr protocol::exec_number only_execution = 1;

}    // namespace caisson

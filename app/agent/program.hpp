#pragma once

#include "app/agent/parked_program.hpp"
#include "app/agent/poller.hpp"
#include "core/protocol/agent_session.hpp"

#include <sys/resource.h>

namespace caisson::agent {

/// A started program as the system has it: its processes, its descriptors, its deadline. What the server still has to hear
/// of it is in the agent_execution of the same number.
class program {
public:
    explicit program(protocol::exec_number number) : number_(number) { }

    /// Leaves nothing behind on failure. What is parked for it, if anything, becomes it if it can; else that is ended before.
    protocol::agent_host::start_result start(
        const protocol::spawn_request& request, const child_place& place, parked_program* parked, poller& events);

    protocol::exec_number number() const { return number_; }
    pid_t pid() const { return pid_; }
    bool running() const { return running_; }
    /// Streams that it may still write to.
    int open_outputs() const { return (output_.fd ? 1 : 0) + (error_.fd ? 1 : 0); }
    bool forgotten() const { return forgotten_; }

    /// The leader was reaped.
    protocol::exit_report ended(int wait_status, const rusage& usage, protocol::exit_cause cause);
    /// Looks whether the leader left anyone behind in its process group: only then its number is still theirs.
    void look_for_group();
    void signal(int number, bool group) const;
    void resize(std::uint16_t cols, std::uint16_t rows) const;

    /// Reads once from a stream, of which `ready` is known (epoll(7)), into its window; the stream ends in the window when it has ended.
    void read(poller& events, protocol::agent_execution& execution, protocol::stream_number stream, std::uint32_t ready);
    /// No process is left that could write: output that does not tell its end is read as far as there is room, and has ended then.
    void end_silent_output(poller& events, protocol::output_window& into);
    /// Writes stdin as far as the program takes it, and closes it at its end.
    void feed(poller& events, protocol::input_window& from);
    /// Watches what there is room and data for.
    void watch(poller& events, protocol::agent_execution& execution);
    /// Closes everything; the program itself goes on.
    void forget(poller& events);

    /// The next moment at which enforce() has something to do, 0 for none.
    std::int64_t next_deadline_ms() const { return grace_end_ms_ != 0 ? grace_end_ms_ : deadline_ms_; }
    /// SIGTERM to the group at the deadline, SIGKILL after the grace.
    void enforce(std::int64_t now_ms);

private:
    protocol::agent_host::start_result begun(const protocol::spawn_request& request, stdio_set stdio, std::int64_t started_us);

    protocol::exec_number number_;
    pid_t pid_ = -1;
    bool terminal_ = false;
    bool tells_end_ = true;    // of its output
    bool running_ = false;
    bool group_alive_ = false;
    bool forgotten_ = false;
    bool overdue_ = false;
    bool line_begun_ = false;       // the last byte of stdin was not a newline
    bool closed_by_all_ = false;    // a terminal that no process holds open, though the program runs: it may be opened again
    watched_fd input_;
    watched_fd output_;
    watched_fd error_;
    std::int64_t started_us_ = 0;
    std::int64_t deadline_ms_ = 0;
    std::int64_t grace_end_ms_ = 0;
};

}    // namespace caisson::agent

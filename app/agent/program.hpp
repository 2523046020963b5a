#pragma once

#include "app/agent/parked_program.hpp"
#include "app/agent/poller.hpp"
#include "core/protocol/agent_session.hpp"

#include <sys/resource.h>

namespace caisson::agent {

/// A started program's processes, descriptors and deadline. The agent_execution of the same number holds what the server still has to
/// receive.
class program {
public:
    explicit program(protocol::exec_number number) : number_(number) { }

    /// Uses the process in `parked` if it is given and fits, else ends that first. Leaves nothing behind on failure.
    protocol::agent_host::start_result start(
        const protocol::spawn_request& request, const child_place& place, parked_program* parked, poller& events);

    protocol::exec_number number() const { return number_; }
    pid_t pid() const { return pid_; }
    bool running() const { return running_; }
    /// Number of output streams that are still open.
    int open_outputs() const { return (output_.fd ? 1 : 0) + (error_.fd ? 1 : 0); }
    bool forgotten() const { return forgotten_; }

    /// The leader was reaped.
    protocol::exit_report ended(int wait_status, const rusage& usage, protocol::exit_cause cause);
    /// Checks whether processes of the ended leader's group remain. Without them the kernel may reuse the group's number.
    void look_for_group();
    void signal(int number, bool group) const;
    void resize(std::uint16_t cols, std::uint16_t rows) const;

    /// Reads once from a stream into its window, and ends the window at the stream's end. `ready`: the epoll(7) events.
    void read(poller& events, protocol::agent_execution& execution, protocol::stream_number stream, std::uint32_t ready);
    /// Call when no process is left that could write. Reads output that does not report its end, while there is room, and then ends it.
    void end_silent_output(poller& events, protocol::output_window& into);
    /// Writes as much stdin as the program takes, and closes it at its end.
    void feed(poller& events, protocol::input_window& from);
    /// Watches the streams that have room or data.
    void watch(poller& events, protocol::agent_execution& execution);
    /// Closes all descriptors; the program continues.
    void forget(poller& events);

    /// The next time at which enforce() must be called, in ms; 0: none.
    std::int64_t next_deadline_ms() const { return grace_end_ms_ != 0 ? grace_end_ms_ : deadline_ms_; }
    /// SIGTERM to the group at the deadline, SIGKILL after the grace.
    void enforce(std::int64_t now_ms);

private:
    protocol::agent_host::start_result begun(const protocol::spawn_request& request, stdio_set stdio, std::int64_t started_us);

    protocol::exec_number number_;
    pid_t pid_ = -1;
    bool terminal_ = false;
    bool tells_end_ = true;    // stdio_set::tells_end
    bool running_ = false;
    bool group_alive_ = false;
    bool forgotten_ = false;
    bool overdue_ = false;
    bool line_begun_ = false;       // the last byte of stdin was not a newline
    bool closed_by_all_ = false;    // no process has the terminal open; the running program may reopen it
    watched_fd input_;
    watched_fd output_;
    watched_fd error_;
    std::int64_t started_us_ = 0;
    std::int64_t deadline_ms_ = 0;
    std::int64_t grace_end_ms_ = 0;
};

}    // namespace caisson::agent

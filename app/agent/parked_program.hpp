#pragma once

#include "app/agent/parked_interpreter.hpp"
#include "app/agent/poller.hpp"
#include "app/agent/waiting_child.hpp"

namespace caisson::agent {

/// A process that waits in its groups to become an execution's program: an interpreter in the middle of its start, or a bare child. It
/// holds nothing of an execution yet, so it can be ended at any time.
class parked_program {
public:
    /// Starts the process for execution `number` (0: the first one started). Returns an errno, 0 for success.
    int begin(protocol::exec_number number, const protocol::park_request& request, const child_place& place, poller& events);

    bool exists() const { return pid_ > 0; }
    bool waits() const { return waits_; }
    bool is_bare() const { return is_bare_; }
    /// Whether the process exists and execution `number` may use it.
    bool is_for(protocol::exec_number number) const { return exists() && (number_ == 0 || number_ == number); }
    pid_t pid() const { return pid_; }
    /// Deadline for the start, in ms; 0 once the process waits, or if there is none.
    std::int64_t deadline_ms() const { return deadline_ms_; }
    bool is_late(std::int64_t now_ms) const { return deadline_ms_ != 0 && now_ms >= deadline_ms_; }

    /// Handles input from the process. Returns 0 once it waits, EAGAIN while it still starts, else the errno of its end.
    int hear(poller& events);
    /// Call before another program is started, which must survive this one's end. Ends a bare child: see waiting_child.
    void share_sandbox(poller& events);
    /// Turns the process into the program of `request`, for which `image` was laid out; `stdio` gets this side's ends. The outcome says
    /// that the program runs, or which step failed. Unknown: the process does not fit or did not answer, and nothing of the request ran.
    /// Unless the program runs, the process is ended.
    child_outcome become(
        const protocol::spawn_request& request, exec_image& image, std::span<const unique_fd> join, stdio_set& stdio, poller& events);
    /// Ends and reaps the process, if there is one.
    void end(poller& events);
    /// The process has ended and was reaped elsewhere, or is a program now: forgets it.
    void reaped(poller& events);

private:
    int launch(const protocol::park_request& request, const child_place& place, poller& events);
    void kill() const;
    child_outcome become_any(const protocol::spawn_request& request, exec_image& image, stdio_set& stdio, poller& events);

    parked_interpreter interpreter_;
    waiting_child child_;
    bool is_bare_ = false;    // child_ is used, else interpreter_
    protocol::exec_number number_ = 0;
    pid_t pid_ = -1;
    bool is_joined_ = false;    // in its groups
    bool is_alone_ = true;      // all processes in the sandbox descend from it
    bool waits_ = false;
    std::int64_t deadline_ms_ = 0;
    watched_fd control_;
};

}    // namespace caisson::agent

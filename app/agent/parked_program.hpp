#pragma once

#include "app/agent/parked_interpreter.hpp"
#include "app/agent/poller.hpp"
#include "app/agent/waiting_child.hpp"

namespace caisson::agent {

/// A process that waits in its groups to become an execution's program: an interpreter in the middle of its start, or a bare child. Nothing
/// of an execution is in it before, so that it can be ended at any time.
class parked_program {
public:
    /// Starts it for the execution `number` (0: for the one that is started first) as `request` says. Returns an errno.
    int begin(protocol::exec_number number, const protocol::park_request& request, const child_place& place, poller& events);

    bool exists() const { return pid_ > 0; }
    bool waits() const { return waits_; }
    bool is_bare() const { return is_bare_; }
    /// Whether it is there, and nobody else's.
    bool is_for(protocol::exec_number number) const { return exists() && (number_ == 0 || number_ == number); }
    pid_t pid() const { return pid_; }
    /// When it has to wait, in ms; 0: it does, or there is none.
    std::int64_t deadline_ms() const { return deadline_ms_; }
    bool is_late(std::int64_t now_ms) const { return deadline_ms_ != 0 && now_ms >= deadline_ms_; }

    /// It said something. Returns 0 once it waits, EAGAIN as long as it may; else the errno of its end.
    int hear(poller& events);
    /// Another program is started beside it, which is to go on when this one ends. A bare child ends: see waiting_child.
    void share_sandbox(poller& events);
    /// It becomes the program of `request`, with `stdio` the ends of this side; `image` was laid out for it. If that runs then, or one of
    /// its steps failed, the outcome says so; an unknown one: it does not serve for that or did not answer, and nothing of the request ran.
    /// But for the first case it is ended.
    child_outcome become(
        const protocol::spawn_request& request, exec_image& image, std::span<const unique_fd> join, stdio_set& stdio, poller& events);
    /// Ends it, if there is one, and reaps it.
    void end(poller& events);
    /// It has ended, and was reaped elsewhere.
    void reaped(poller& events);

private:
    int launch(const protocol::park_request& request, const child_place& place, poller& events);
    void kill() const;
    child_outcome become_any(const protocol::spawn_request& request, exec_image& image, stdio_set& stdio, poller& events);

    parked_interpreter interpreter_;
    waiting_child child_;
    bool is_bare_ = false;    // it is the second
    protocol::exec_number number_ = 0;
    pid_t pid_ = -1;
    bool is_joined_ = false;    // it is in its groups
    bool is_alone_ = true;      // but for what it started itself
    bool waits_ = false;
    std::int64_t deadline_ms_ = 0;
    watched_fd control_;
};

}    // namespace caisson::agent

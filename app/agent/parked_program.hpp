#pragma once

#include "app/agent/landlock.hpp"
#include "app/agent/poller.hpp"
#include "app/agent/stdio_set.hpp"

#include <span>
#include <string>
#include <sys/types.h>

namespace caisson::agent {

/// A program that was started before its execution was known. A file that its hooks make it read stops it in the middle of its own start:
/// there it says on descriptor 3 that it waits, hears its arguments and environment, and goes on as it would have. Nothing of an execution
/// is in it before, so that it can be ended at any time.
class parked_program {
public:
    /// Starts it. Returns an errno.
    int begin(const protocol::park_request& request, const landlock& rules, poller& events);

    bool exists() const { return pid_ > 0; }
    bool waits() const { return waits_; }
    pid_t pid() const { return pid_; }
    /// When it has to wait, in ms; 0: it does, or there is none.
    std::int64_t deadline_ms() const { return deadline_ms_; }
    bool is_late(std::int64_t now_ms) const { return deadline_ms_ != 0 && now_ms >= deadline_ms_; }

    /// It said something. Returns 0 once it waits, EAGAIN as long as it may; else the errno of its end.
    int hear(poller& events);
    /// It becomes the program of `request`, with `stdio` the ends of this side: returns when, in us of CLOCK_MONOTONIC. 0: it does not
    /// serve for that or did not answer; it was ended then, and nothing of the request ran.
    std::int64_t become(const protocol::spawn_request& request, std::span<const std::string> environment, std::span<const unique_fd> join,
        stdio_set& stdio, poller& events);
    /// Ends it, if there is one, and reaps it.
    void end(poller& events);
    /// It has ended, and was reaped elsewhere.
    void reaped(poller& events);

private:
    int prepare(const protocol::park_request& request);
    int launch(const landlock& rules, poller& events);
    void remove_hook();
    bool serves(const protocol::spawn_request& request, std::span<const std::string> environment) const;
    bool take_over(const protocol::spawn_request& request, std::span<const std::string> environment, std::span<const unique_fd> join) const;
    bool set_limits(const protocol::spawn_request& request) const;
    bool agree(std::span<const std::string> arguments, std::span<const std::string> environment) const;

    protocol::park_request request_;
    std::vector<std::string> fixed_;    // variables of its own environment in which an execution has to agree: "NAME=value"
    std::string directory_;             // of the hook; empty: gone
    pid_t pid_ = -1;
    bool waits_ = false;
    std::int64_t deadline_ms_ = 0;
    stdio_set stdio_;
    watched_fd control_;
};

}    // namespace caisson::agent

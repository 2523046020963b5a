#pragma once

#include "app/agent/child.hpp"
#include "app/agent/stdio_set.hpp"

#include <string>
#include <vector>

namespace caisson::agent {

/// A program that was started before its execution was known. A file that its hooks make it read stops it in the middle of its own start:
/// there it says on descriptor 3 that it waits, hears its arguments and environment, and goes on as it would have. Nothing of an execution
/// is in it before, so that it can be ended at any time.
class parked_interpreter {
public:
    /// Starts it; `control` becomes its descriptor 3. Returns an errno.
    int start(const protocol::park_request& request, const child_place& place, int control, pid_t& pid);
    /// It has read the file.
    void remove_hook();
    /// Process `pid`, which waits at the other end of `control`, becomes the program of `request`: returns when, in us of CLOCK_MONOTONIC.
    /// 0: it does not serve for that or did not answer; nothing of the request ran, and it is to be killed.
    std::int64_t go_on(pid_t pid, int control, const protocol::spawn_request& request, std::span<const std::string> environment,
        std::span<const unique_fd> join);
    /// This side of its stdin, stdout and stderr.
    stdio_set take_stdio() { return std::move(stdio_); }
    void forget();

private:
    int prepare(const protocol::park_request& request);
    int launch(const child_place& place, int control, pid_t& pid);
    bool serves(const protocol::spawn_request& request, std::span<const std::string> environment) const;
    static bool agree(int control, std::span<const std::string> arguments, std::span<const std::string> environment);

    protocol::park_request request_;
    std::vector<std::string> fixed_;    // variables of its own environment in which an execution has to agree: "NAME=value"
    std::string directory_;             // of the hook; empty: gone
    stdio_set stdio_;
};

}    // namespace caisson::agent

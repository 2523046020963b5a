#pragma once

#include "app/agent/child.hpp"
#include "app/agent/stdio_set.hpp"

#include <string>
#include <vector>

namespace caisson::agent {

/// A program started before its execution is known. Its hooks make it read a file that stops it in the middle of its own start: it
/// reports on descriptor 3 that it waits, receives its arguments and environment there, and continues its start. It holds nothing of an
/// execution before, so it can be ended at any time.
class parked_interpreter {
public:
    /// Starts the program; `control` becomes its descriptor 3. Returns an errno, 0 for success.
    int start(const protocol::park_request& request, const child_place& place, int control, pid_t& pid);
    /// Removes the file, once the program has read it.
    void remove_hook();
    /// Makes process `pid`, which waits at the other end of `control`, the program of `request`. Returns the time, CLOCK_MONOTONIC in us.
    /// 0: the process does not fit or did not answer; nothing of the request ran, and the caller must kill it.
    std::int64_t go_on(pid_t pid, int control, const protocol::spawn_request& request, std::span<const std::string> environment,
        std::span<const unique_fd> join);
    /// This side's ends of its stdin, stdout and stderr.
    stdio_set take_stdio() { return std::move(stdio_); }
    void forget();

private:
    int prepare(const protocol::park_request& request);
    int launch(const child_place& place, int control, pid_t& pid);
    bool serves(const protocol::spawn_request& request, std::span<const std::string> environment) const;
    static bool agree(int control, std::span<const std::string> arguments, std::span<const std::string> environment);

    protocol::park_request request_;
    std::vector<std::string> fixed_;    // "NAME=value" of its own variables that an execution must match
    std::string directory_;             // of the hook; empty: removed
    stdio_set stdio_;
};

}    // namespace caisson::agent

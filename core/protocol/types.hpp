#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace caisson::protocol {

/// Numbers an execution within its sandbox, from 1.
using exec_number = std::uint64_t;

enum class stream_number : std::uint8_t { stdout_stream = 1, stderr_stream = 2 };

/// A program for the agent to start.
struct spawn_request {
    std::vector<std::string> argv;
    std::vector<std::pair<std::string, std::string>> env;
    std::string cwd;    // absolute
    struct size {
        std::uint16_t cols;
        std::uint16_t rows;
    };
    std::optional<size> pty;
    struct limit {
        std::uint32_t resource;
        std::uint64_t value;
    };    // setrlimit(2): soft = hard = value
    std::vector<limit> rlimits;
    std::uint64_t wall_ms = 0;     // 0: none
    bool stdin_open = false;       // false: EOF follows the stdin sent before the spawn
    std::string seccomp_filter;    // struct sock_filter[], raw; empty: none
};

/// What the agent prepares before the execution is known. Either a parked program: started, then stopped in the middle of its own
/// start, where it waits for its last arguments and its environment. Or a bare child, which can become any program.
struct park_request {
    /// For a bare child only the program's filter and limits are set, and applied in advance. A program with another filter is started
    /// without it.
    bool is_bare() const { return program.argv.empty(); }

    spawn_request program;    // the execution may add arguments, and differ in its limits and in variables that are not `fixed`
    std::string file_name;    // the file that makes the program wait; lies in a directory of its own until the program has read it
    std::string file_text;
    std::vector<std::pair<std::string, std::string>> hooks;    // variables for the start only; "{park}" in a value is that directory
    std::vector<std::string> fixed;    // variables that must equal the execution's; "NAME*" means all with that prefix
    std::uint8_t descriptors = 0;      // number of descriptors sent along, of groups to join at once
};

/// The agent's reason for the leader's end.
enum class exit_cause : std::uint8_t { by_itself = 0, wall_limit = 1, lease = 2, shutdown = 3 };

struct exit_report {
    int wait_status = 0;    // of wait(2)
    exit_cause cause = exit_cause::by_itself;
    std::uint64_t user_us = 0;    // of the leader and the children it waited for, getrusage(2)
    std::uint64_t system_us = 0;
    std::uint64_t max_rss_bytes = 0;
    std::uint64_t wall_us = 0;    // from execve to exit
};

/// The server's offsets of an execution when its link is reopened.
struct resume_point {
    std::uint64_t stdout_committed = 0;
    std::uint64_t stderr_committed = 0;
    std::uint64_t stdin_sent = 0;    // stdin that the agent is known to have taken
};

}    // namespace caisson::protocol

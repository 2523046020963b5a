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

/// What the agent is to start.
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
    bool stdin_open = false;       // false: the program reads EOF after what was sent before the spawn
    std::string seccomp_filter;    // struct sock_filter[], raw; empty: none
};

/// What the agent is to have ready before its execution is known: a program that is started up to a place in the middle of its own start,
/// where it waits to hear its last arguments and its environment; or a bare child, which becomes whatever program is asked for.
struct park_request {
    /// Nothing below is given then, but for the filter and limits that are set before it: a program that is to have another filter is
    /// started anew.
    bool is_bare() const { return program.argv.empty(); }

    spawn_request program;    // what comes after its argv may differ; so may its limits and most of its environment
    std::string file_name;    // of what makes it wait: in a directory of its own until the program has read it
    std::string file_text;
    std::vector<std::pair<std::string, std::string>> hooks;    // variables for the start only; "{park}" in a value is that directory
    std::vector<std::string> fixed;    // names of variables in which the execution must agree; with a '*' at the end all that begin so
    std::uint8_t descriptors = 0;      // that come with it: of groups, which are joined at once
};

/// Why the agent says that the leader ended.
enum class exit_cause : std::uint8_t { by_itself = 0, wall_limit = 1, lease = 2, shutdown = 3 };

struct exit_report {
    int wait_status = 0;    // as of wait(2)
    exit_cause cause = exit_cause::by_itself;
    std::uint64_t user_us = 0;    // of the leader and what it waited for, getrusage(2)
    std::uint64_t system_us = 0;
    std::uint64_t max_rss_bytes = 0;
    std::uint64_t wall_us = 0;    // from execve to exit
};

/// Where an execution stands on the server's side when its link is opened anew.
struct resume_point {
    std::uint64_t stdout_committed = 0;
    std::uint64_t stderr_committed = 0;
    std::uint64_t stdin_sent = 0;    // bytes of stdin known to be taken by the agent
};

}    // namespace caisson::protocol

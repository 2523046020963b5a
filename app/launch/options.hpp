#pragma once

#include <cstddef>
#include <cstdint>

namespace caisson::launch {

/// The command line:
///   caisson-launch --status-fd N --exec-fd N [--join-fd N]… [--tmpfs BYTES:INODES [--view NAME]… [--etc NAME]… [--tree PATH]…]
///     [--uid N] [--rlimit RESOURCE:VALUE]… -- ARGV…
struct options {
    static constexpr std::size_t most = 16;
    struct limit {
        std::uint64_t resource;
        std::uint64_t value;
    };

    int status_fd = -1;
    int exec_fd = -1;    // what is executed, as `argv`
    int join_fds[most];
    std::size_t join_count = 0;
    bool has_tmpfs = false;
    std::uint64_t tmpfs_bytes = 0;
    std::uint64_t tmpfs_inodes = 0;
    const char* views[most];    // directories right below / that are to be had with inodes of their own; without the slash
    std::size_t view_count = 0;
    const char* etc[most];    // names in /etc that are to be shown, by its view
    std::size_t etc_count = 0;
    const char* trees[most];    // directories of the host, absolute, that are to be had read-only without their names
    std::size_t tree_count = 0;
    bool has_uid = false;
    std::uint64_t uid = 0;
    limit rlimits[most];
    std::size_t rlimit_count = 0;
    char** argv = nullptr;
};

/// Ends the process with a word on the status descriptor if the line is wrong.
options parse_options(int argc, char** argv);

}    // namespace caisson::launch

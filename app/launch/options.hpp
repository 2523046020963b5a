#pragma once

#include <cstddef>
#include <cstdint>

namespace caisson::launch {

/// The command line:
///   caisson-launch --status-fd N --exec-fd N [--join-fd N]… [--tmpfs BYTES:INODES [--view NAME]… [--tree PATH]…]
///     [--uid N] [--rlimit RESOURCE:VALUE]… -- ARGV…
/// With --work DIR, and without --exec-fd, it makes the whole sandbox with ARGV as its first process. It then waits for that process, or
/// becomes it if already process 1 of a new pid namespace:
///     --work DIR [--agent NAME] --seccomp-fd N [--info-fd N] [--link NAME:TARGET]… [--place PATH]… [--root NAME]…
///     [--mask NAME]… [--hide NAME]…
/// One member for each option.
struct options {
    static constexpr std::size_t most = 16;
    struct limit {
        std::uint64_t resource;
        std::uint64_t value;
    };

    int status_fd = -1;
    int exec_fd = -1;    // the program, executed with `argv`
    int join_fds[most];
    std::size_t join_count = 0;
    bool has_tmpfs = false;
    std::uint64_t tmpfs_bytes = 0;
    std::uint64_t tmpfs_inodes = 0;
    const char* views[most];    // directories directly below / to show with their own inodes; without the slash
    std::size_t view_count = 0;
    const char* trees[most];    // absolute host directories to show read-only and without their names
    std::size_t tree_count = 0;
    bool has_uid = false;
    std::uint64_t uid = 0;
    limit rlimits[most];
    std::size_t rlimit_count = 0;

    // For a whole sandbox:
    const char* work = nullptr;     // working directory: absolute, directly below the root
    const char* agent = nullptr;    // file name in the last tree, executed as /.caisson/agent; null: the agent built into this program
    int seccomp_fd = -1;            // an array of sock_filter for the whole sandbox
    int info_fd = -1;               // receives {"child-pid": N} with the host pid; -1: this process becomes the first
    struct named {
        const char* name;
        const char* target;
    };
    named links[most];    // symbolic links directly below the root
    std::size_t link_count = 0;
    const char* places[most];    // mount points of the first trees, relative to `work`
    std::size_t place_count = 0;
    const char* roots[most];    // names directly below the root: mount points of the trees after those
    std::size_t root_count = 0;
    const char* masks[most];    // files in /proc to cover with /dev/null
    std::size_t mask_count = 0;
    const char* hides[most];    // directories in /proc to cover with an empty one
    std::size_t hide_count = 0;

    char** argv = nullptr;

    bool makes_sandbox() const { return work != nullptr; }
    bool is_first() const { return info_fd < 0; }
};

/// Ends the process with a report on the status descriptor if the command line is wrong.
options parse_options(int argc, char** argv);

}    // namespace caisson::launch

#pragma once

#include <cstddef>
#include <cstdint>

namespace caisson::launch {

/// The command line:
///   caisson-launch --status-fd N --exec-fd N [--join-fd N]… [--tmpfs BYTES:INODES [--view NAME]… [--tree PATH]…]
///     [--uid N] [--rlimit RESOURCE:VALUE]… -- ARGV…
/// With --work DIR, and without --exec-fd, it makes the whole sandbox, in which ARGV is the first process, and waits for its end, unless it
/// is the first process of its own namespace already:
///     --work DIR [--agent NAME] --seccomp-fd N [--info-fd N] [--link NAME:TARGET]… [--place PATH]… [--root NAME]…
///     [--mask NAME]… [--hide NAME]…
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
    const char* trees[most];    // directories of the host, absolute, that are to be had read-only without their names
    std::size_t tree_count = 0;
    bool has_uid = false;
    std::uint64_t uid = 0;
    limit rlimits[most];
    std::size_t rlimit_count = 0;

    // Of a whole sandbox.
    const char* work = nullptr;     // where its user works: absolute, right below its root
    const char* agent = nullptr;    // a file in the last tree, executed as /.caisson/agent; none: the agent that is part of this program
    int seccomp_fd = -1;            // an array of sock_filter, for all that runs in it
    int info_fd = -1;               // is told {"child-pid": N}, of this host; none: this process is the first itself
    struct named {
        const char* name;
        const char* target;
    };
    named links[most];    // symbolic links right below the root
    std::size_t link_count = 0;
    const char* places[most];    // in the directory of work, relative: of the first trees
    std::size_t place_count = 0;
    const char* roots[most];    // right below the root: of the trees behind those
    std::size_t root_count = 0;
    const char* masks[most];    // files in /proc that show nothing
    std::size_t mask_count = 0;
    const char* hides[most];    // directories in /proc, likewise
    std::size_t hide_count = 0;

    char** argv = nullptr;

    bool makes_sandbox() const { return work != nullptr; }
    bool is_first() const { return info_fd < 0; }
};

/// Ends the process with a word on the status descriptor if the line is wrong.
options parse_options(int argc, char** argv);

}    // namespace caisson::launch

#pragma once

#include "adapters/host/fork_server.hpp"
#include "core/async/offload.hpp"
#include "core/async/timers.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace caisson {

/// A sandbox that caisson-launch builds itself, which needs root: own namespaces, and a root directory made of the views and the private
/// tmpfs. Its first process runs `argv` of the request with the program /.caisson/agent, or with the agent built into the launcher.
struct whole_sandbox {
    std::string work;                                          // working directory: absolute, directly below the sandbox's root
    std::vector<std::pair<std::string, std::string>> links;    // symbolic links directly below the root: name and target
    std::vector<std::string> places;                           // mount points of the first trees, relative to `work`
    std::vector<std::string> roots;                            // names directly below the root: mount points of the trees after those
    std::string agent;                                         // file name in the last tree; empty: the agent built into the launcher
    std::vector<std::string> masks;                            // files in /proc to cover with /dev/null
    std::vector<std::string> hides;                            // directories in /proc to cover with an empty one
    int seccomp = -1;                                          // the filter: descriptor number in the child
    int info = -1;                                             // receives {"child-pid": N}: number in the child; -1 with the built-in agent
    int network = -1;                                          // spawn_options::network, of used_networks
};

/// What caisson-launch does before it executes `argv`, in the order of the members. The caller keeps the descriptors.
struct launch_request {
    std::string launch_path;
    bool is_forked = false;    // prefer the fork server; the built-in agent needs it anyway
    std::vector<int> join;     // descriptors of cgroup.procs
    struct private_tmpfs {
        std::int64_t bytes;
        std::int64_t inodes;
    };
    std::optional<private_tmpfs> tmpfs;    // mounted over /tmp in a new mount namespace; holds work, tmp and shm
    std::vector<std::string> views;        // names in /: each appears at /tmp/view/NAME, with its own inodes if the host allows
    std::vector<std::string> trees;        // directories: each appears read-only at /tmp/tree/0, 1, …
    std::optional<uid_t> uid;              // user and group to switch to; without, a tmpfs implies a new user namespace
    struct limit {
        int resource;
        std::uint64_t value;
    };
    std::vector<limit> rlimits;                   // soft and hard; capped at the server's own
    std::optional<whole_sandbox> sandbox = {};    // needs tmpfs, uid and all its trees
    std::string executable;                       // unused with `sandbox`
    std::vector<std::string> argv;
    std::vector<std::string> environment;
    descriptor_table descriptors;    // of the program; 0 to 2 are required
};

/// Starts `request` on a worker and returns once the program runs. A launcher that builds a sandbox with an agent file stays until the
/// sandbox's first process has ended. `time`, `workers` and `forks` outlive the call. Errors: errc::runtime_unavailable with the failed
/// step or how the launcher ended; errc::timed_out after ten seconds; then no process runs.
task<result<process_handle>> launch(timers& time, worker_pool& workers, fork_server& forks, launch_request request);
/// Likewise; `make` runs on the worker, and what its request refers to must live until the call returns. `meanwhile` runs on that worker
/// once the launcher has started.
task<result<process_handle>> launch(
    timers& time, worker_pool& workers, fork_server& forks, std::function<result<launch_request>()> make, std::function<void()> meanwhile);

/// Upper bounds for all programs of a sandbox, whatever limits an execution requests.
std::vector<launch_request::limit> baseline_rlimits();

/// A pipe with both ends CLOEXEC. Nothing if no descriptors are left.
struct pipe_ends {
    unique_fd read;
    unique_fd write;
};
std::optional<pipe_ends> make_pipe();

/// Reads `pipe` until its end, up to and including the first `last`, or at least `limit_bytes`.
task<std::string> read_until(unique_fd pipe, std::optional<char> last, std::size_t limit_bytes);

}    // namespace caisson

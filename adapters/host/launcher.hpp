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

/// A sandbox that caisson-launch makes whole, as root alone can: with a root directory of the views and the private tmpfs, and namespaces
/// of its own. Its first process is `argv` of the request, executed as /.caisson/agent, or what the launcher has of it in itself.
struct whole_sandbox {
    std::string work;                                          // where its user works: absolute, right below its root
    std::vector<std::pair<std::string, std::string>> links;    // right below its root: name and target
    std::vector<std::string> places;                           // in `work`, relative: of the first trees
    std::vector<std::string> roots;                            // names right below its root: of the trees behind those
    std::string agent;                                         // a file in the last tree; empty: the launcher's own, with the rest of it
    std::vector<std::string> masks;                            // files in /proc that show nothing
    std::vector<std::string> hides;                            // directories in /proc, likewise
    int seccomp = -1;                                          // the child's number of the filter
    int info = -1;                                             // of what is told {"child-pid": N}; of the launcher's own agent none
    int network = -1;                                          // spawn_options::network, of used_networks
};

/// What caisson-launch does before it becomes `argv`, in the order of the members. Descriptors stay the caller's.
struct launch_request {
    std::string launch_path;
    bool is_forked = false;    // by a fork server where one can be had, and without an agent of the sandbox's only there
    std::vector<int> join;     // of cgroup.procs
    struct private_tmpfs {
        std::int64_t bytes;
        std::int64_t inodes;
    };
    std::optional<private_tmpfs> tmpfs;    // over /tmp of an own mount namespace, with work, tmp and shm in it
    std::vector<std::string> views;        // names in /: each is at /tmp/view/NAME with inodes of its own, if the host lets it
    std::vector<std::string> trees;        // directories: each is at /tmp/tree/0 and so on, read-only
    std::optional<uid_t> uid;              // to become, also as group; otherwise, with a tmpfs, an own user namespace
    struct limit {
        int resource;
        std::uint64_t value;
    };
    std::vector<limit> rlimits;                   // soft and hard, never raised above what the server has
    std::optional<whole_sandbox> sandbox = {};    // with tmpfs, uid and a tree at least
    std::string executable;                       // not of a whole sandbox
    std::vector<std::string> argv;
    std::vector<std::string> environment;
    descriptor_table descriptors;    // of the program; 0 to 2 must be there
};

/// Starts it, on a worker, and returns once the program runs; what makes a whole sandbox then stays until its first process has ended. All
/// three outlive the call. Errors: errc::runtime_unavailable with the step that failed or how the launcher ended, errc::timed_out after ten
/// seconds; nothing runs then.
task<result<process_handle>> launch(timers& time, worker_pool& workers, fork_server& forks, launch_request request);
/// The same of what `make` gives, on the worker too. What the request names stays until the call has returned. `meanwhile` is done on that
/// worker once the launcher is at work.
task<result<process_handle>> launch(
    timers& time, worker_pool& workers, fork_server& forks, std::function<result<launch_request>()> make, std::function<void()> meanwhile);

/// The most that programs of a sandbox may have, whatever an execution asks for.
std::vector<launch_request::limit> baseline_rlimits();

/// A pipe whose ends are closed in every child that is not given them. Nothing if there are no descriptors left.
struct pipe_ends {
    unique_fd read;
    unique_fd write;
};
std::optional<pipe_ends> make_pipe();

/// Reads `pipe` to its end or up to and with the first `last`, at most `limit_bytes`.
task<std::string> read_until(unique_fd pipe, std::optional<char> last, std::size_t limit_bytes);

}    // namespace caisson

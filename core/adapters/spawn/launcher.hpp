#pragma once

#include "core/adapters/spawn/process_spawner.hpp"
#include "core/async/offload.hpp"
#include "core/async/timers.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace caisson {

/// What caisson-launch does before it becomes `argv`, in the order of the members. Descriptors stay the caller's.
struct launch_request {
    std::string launch_path;
    std::vector<int> join;    // of cgroup.procs
    struct private_tmpfs {
        std::int64_t bytes;
        std::int64_t inodes;
    };
    std::optional<private_tmpfs> tmpfs;    // over /tmp of an own mount namespace, with work, tmp and shm in it
    std::vector<std::string> views;        // names in /: each is at /tmp/view/NAME with inodes of its own, if the host lets it
    std::vector<std::string> etc;          // names in /etc, of whose view they are at /tmp/etc; with a uid only
    std::vector<std::string> trees;        // directories: each is at /tmp/tree/0 and so on, read-only
    std::optional<uid_t> uid;              // to become, also as group; otherwise, with a tmpfs, an own user namespace
    struct limit {
        int resource;
        std::uint64_t value;
    };
    std::vector<limit> rlimits;    // soft and hard, never raised above what the server has
    std::string executable;
    std::vector<std::string> argv;
    std::vector<std::string> environment;
    descriptor_table descriptors;    // of the program; 0 to 2 must be there
};

/// Starts it, on a worker, and returns once the program runs. Both outlive the call. Errors: errc::runtime_unavailable with the step that
/// failed, errc::timed_out after ten seconds; nothing runs then.
task<result<process_handle>> launch(timers& time, worker_pool& workers, launch_request request);

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

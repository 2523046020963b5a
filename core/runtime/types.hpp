#pragma once

#include "core/base/ids.hpp"
#include "core/sandbox/types.hpp"

#include <optional>
#include <string>
#include <vector>

namespace caisson {

/// One thing that this host does not enforce, for example {"memory", "no cgroup can be made here", "run the server as root"}.
struct degradation {
    std::string control;
    std::string reason;
    std::string remedy;
};

/// What a runtime does on this host: found by trying, never assumed.
struct runtime_capabilities {
    std::string name;
    bool available = false;
    std::string unavailable_reason;    // a sentence that says what to do; empty if available
    bool isolates = false;             // false for process and mock
    bool enforces_memory = false;
    bool enforces_pids = false;
    bool enforces_cpu = false;
    bool enforces_disk = false;
    bool execution_usage = false;    // cpu, memory and pids of each execution are measured
    bool pauses = false;
    std::vector<degradation> degraded;
};

/// A server that does not run and whose data directory is gone, of which control groups are left.
struct dead_instance {
    std::string id;
    std::string data_dir;    // where it was; empty if nobody knows
    std::size_t sandboxes = 0;
};

/// A directory of the host that programs see read-only at `place`, relative to the working directory.
struct sandbox_tree {
    std::string host_path;    // absolute; stays as it is until the sandbox is gone
    std::string place;        // "scripts"
    bool operator==(const sandbox_tree&) const = default;
};

struct sandbox_spec {
    sandbox_id id;
    std::string work_directory = "/workspace";    // where isolating runtimes show the working directory
    std::vector<sandbox_tree> trees;
    sandbox_limits limits;
    std::string image;                                          // exact reference, on runtimes with images; empty: the runtime's default
    std::chrono::milliseconds lease{std::chrono::hours(24)};    // without a server the agent ends the sandbox after this
    bool is_awaited = false;                                    // somebody waits for it: it may be one that was prepared, with its id
};

/// Limits of one execution inside a sandbox, as far as its group enforces them.
struct group_limits {
    std::int64_t memory_bytes = 0;    // without the disk's share, which the group adds
    std::int64_t cpu_milli = 0;
    std::int64_t pids = 0;
    bool operator==(const group_limits&) const = default;
};

/// Readings of one execution's group. A value that this host cannot measure is absent.
struct group_usage {
    std::optional<std::int64_t> cpu_us;
    std::optional<std::int64_t> memory_peak_bytes;
    std::optional<std::int64_t> pids_peak;
    std::int64_t oom_kills = 0;    // processes the kernel killed for memory
    bool oom_outside =
        false;    // it did so though neither the group nor its sandbox had met a limit: the host, or all sandboxes together, had none left
    std::int64_t pids_refused = 0;    // forks refused by the pids limit
};

/// How full the sandbox's writable file systems are.
struct disk_usage {
    bool bytes_exhausted = false;
    bool inodes_exhausted = false;
    std::int64_t bytes_used = 0;
};

}    // namespace caisson

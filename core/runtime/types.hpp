#pragma once

#include "core/base/ids.hpp"
#include "core/sandbox/types.hpp"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace caisson {

/// One control that this host does not enforce, for example {"memory", "no cgroup can be made here", "run the server as root"}.
struct degradation {
    std::string control;
    std::string reason;
    std::string remedy;
};

/// What a runtime enforces on this host, found by trying.
struct runtime_capabilities {
    std::string name;
    bool available = false;
    std::string unavailable_reason;    // a sentence with the remedy; empty if available
    bool isolates = false;             // false for process and mock
    bool enforces_memory = false;
    bool enforces_pids = false;
    bool enforces_cpu = false;
    bool enforces_disk = false;
    bool execution_usage = false;    // measures cpu, memory and pids of each execution
    bool pauses = false;
    std::vector<degradation> degraded;
};

/// A server instance that left control groups behind: it does not run, and its data directory is gone.
struct dead_instance {
    std::string id;
    std::string data_dir;    // its former path; empty if unknown
    std::size_t sandboxes = 0;
};

/// A host directory mounted read-only into the sandbox.
struct sandbox_tree {
    std::string host_path;    // absolute; unchanged while the sandbox exists
    std::string place;        // relative to the working directory: "scripts"
    bool operator==(const sandbox_tree&) const = default;
};

struct sandbox_spec {
    sandbox_id id;
    std::string work_directory = "/workspace";    // path inside the sandbox, on isolating runtimes
    std::vector<sandbox_tree> trees;
    sandbox_limits limits;
    std::string image;                                          // exact reference, on runtimes with images; empty: the runtime's default
    std::chrono::milliseconds lease{std::chrono::hours(24)};    // the agent ends the sandbox after this time without a server
    bool is_awaited = false;                                    // a client waits: create() may return a prepared sandbox with its own id
};

/// The limits of one execution that its group enforces.
struct group_limits {
    std::int64_t memory_bytes = 0;    // without the disk's share; the group adds that
    std::int64_t cpu_milli = 0;
    std::int64_t pids = 0;
    bool operator==(const group_limits&) const = default;
};

/// Measurements of one execution's group. A value that this host cannot measure is absent.
struct group_usage {
    std::optional<std::int64_t> cpu_us;
    std::optional<std::int64_t> memory_peak_bytes;
    std::optional<std::int64_t> pids_peak;
    std::int64_t oom_kills = 0;       // processes the kernel killed for memory
    bool oom_outside = false;         // the host, or all sandboxes together, ran out: neither the group nor its sandbox was at a limit
    std::int64_t pids_refused = 0;    // forks refused by the pids limit
};

enum class group_use : std::uint8_t { program, compiler };

/// Names a group within a sandbox: that of a program, or of the compiler that runs before that program.
struct group_name {
    std::uint32_t program = 1;    // the program's number in its sandbox, from 1
    group_use use = group_use::program;

    auto operator<=>(const group_name&) const = default;
};
inline constexpr group_name first_program_group{};
inline constexpr group_name first_compiler_group{.use = group_use::compiler};

/// What a runtime is, on every host.
struct runtime_traits {
    /// Programs are isolated from the host and from each other, and get the payload's seccomp filter.
    bool isolates = true;
    /// create() succeeds or fails within milliseconds: fast enough to store the execution's record afterwards.
    bool fast_create = false;
    /// No program can end the agent, because the agent is the first process of a Linux namespace. The host then caused any loss.
    bool protects_agent = true;
    /// Agents start under the agent's seccomp filter. Programs inherit it and need only the rest of the payload's filter.
    bool filters_agents = false;
    /// Sandboxes use sandbox_spec::image.
    bool has_images = false;
};

/// How full the sandbox's writable file systems are.
struct disk_usage {
    bool bytes_exhausted = false;
    bool inodes_exhausted = false;
    std::int64_t bytes_used = 0;
};

}    // namespace caisson

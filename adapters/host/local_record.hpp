#pragma once

#include "adapters/host/cgroup/control_group.hpp"
#include "adapters/host/process.hpp"

#include <optional>
#include <string>

namespace caisson {

/// What a later server needs to find a sandbox of this host again, or to remove what is left of it.
struct local_record {
    std::string runtime;
    sandbox_limits limits;
    std::string work_directory = "/workspace";    // where isolating runtimes show it
    std::optional<process_identity> agent;
    std::optional<process_identity> monitor;    // what the server started for it: bwrap or the launcher; under `process` the agent itself
    std::optional<uid_t> uid;                   // given to this sandbox alone
    control_group group;
    struct container {
        std::string id;    // empty: the engine was asked to make it, and that is all that is known
        std::string name;
        std::string image;           // as it was asked for
        pid_t engine_pid = 0;        // of the engine that started it; 0: it does not run, or nobody knows
        std::string image_digest;    // "sha256:…"; empty before the start
    };
    std::optional<container> made_of;    // where an engine makes sandboxes
    std::string boot_id;                 // of the host, when the sandbox was made; empty in records of older servers
    std::int64_t made_at_ns = 0;         // CLOCK_MONOTONIC of that boot; 0: not recorded

    /// Takes down which start of the host it is of, and now.
    void stamp(std::int64_t monotonic_ns);
    /// False if the host was booted since: its processes and groups are gone, and their numbers are others'.
    bool is_of_this_boot() const;

    std::string to_json() const;
    /// Nothing if `text` is not what to_json() writes. Without processes if the host was started again since.
    static std::optional<local_record> from_json(std::shared_ptr<cgroup_io> io, std::string_view text);
};

}    // namespace caisson

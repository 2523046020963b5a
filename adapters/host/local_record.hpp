#pragma once

#include "adapters/host/cgroup/control_group.hpp"
#include "adapters/host/process.hpp"
#include "core/base/clock.hpp"

#include <optional>
#include <string>

namespace caisson {

/// What a later server needs to find a sandbox of this host again, or to remove its remains.
struct local_record {
    std::string runtime;
    sandbox_limits limits;
    std::string work_directory = "/workspace";    // where isolating runtimes mount it
    std::optional<process_identity> agent;
    std::optional<process_identity> monitor;    // process that the server started: bwrap or the launcher; with `process` the agent itself
    std::optional<uid_t> uid;                   // host uid of this sandbox alone
    control_group group;
    struct container {
        std::string id;    // empty: requested from the engine, id unknown
        std::string name;
        std::string image;           // as requested
        pid_t engine_pid = 0;        // of the engine that started it; 0: not running, or unknown
        std::string image_digest;    // "sha256:…"; empty before the start
    };
    std::optional<container> made_of;    // for sandboxes made by an engine
    std::string boot_id;                 // host's boot when the sandbox was made; empty in records of older servers
    std::int64_t made_at_ns = 0;         // CLOCK_MONOTONIC of that boot; 0: not recorded

    /// Records the current boot and `monotonic_ns`.
    void stamp(std::int64_t monotonic_ns);
    void stamp(steady_time now);
    /// When stamp() was last called; nothing if that was in another boot, or not recorded.
    std::optional<steady_time> made_at() const;
    /// False if the host was booted since: its processes and groups are gone, and their numbers may be reused.
    bool is_of_this_boot() const;

    std::string to_json() const;
    /// Nothing if `text` is not from to_json(). Omits the processes if the host was booted since.
    static std::optional<local_record> from_json(std::shared_ptr<cgroup_io> io, std::string_view text);
};

}    // namespace caisson

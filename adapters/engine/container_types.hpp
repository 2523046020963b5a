#pragma once

#include "adapters/host/cgroup/disk_reads.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace caisson::docker {

struct container_tmpfs {
    std::string path;
    std::int64_t bytes = 0;
    std::int64_t inodes = 0;    // 0: no limit
    unsigned mode = 0755;
    std::optional<std::int64_t> uid;    // the owner; the gid is the same number
    bool executable = true;
    bool read_only = false;
};

/// A mount that is read-only unless `filling`.
struct container_bind {
    std::string source;    // path on the engine's host, or the name of a volume
    std::string target;
    bool is_volume = false;    // the engine does not copy the image's content into it
    bool filling = false;      // writable for put_archive, in a container that is never started
};

/// The settings of a container. The hardening of design section 8 is not configurable: all capabilities dropped,
/// no-new-privileges, read-only root, no network, no log driver, OpenStdin without StdinOnce, no swap, private IPC.
struct container_spec {
    std::string name;
    std::string image;    // a name or an id
    std::string engine_runtime = "runc";
    std::vector<std::string> entrypoint;     // replaces the image's entrypoint and command
    std::vector<std::string> environment;    // "NAME=value" overrides the image's; "NAME" removes the image's
    std::string user;                        // "1000:1000"
    std::string working_directory = "/";
    std::map<std::string, std::string> labels;
    std::vector<container_tmpfs> tmpfs;
    std::vector<container_bind> binds;
    bool open_stdin = false;
    std::optional<std::int64_t> memory_bytes;    // of the whole container; swap included
    std::optional<std::int64_t> cpu_milli;
    std::optional<std::int64_t> cpu_shares;
    std::optional<std::int64_t> pids;    // host tasks: with gVisor this includes about 30 of its own threads, which it needs to start
    std::int64_t shm_bytes = 64 << 20;
    std::vector<std::string> disks;    // devices of the engine's host whose reads are limited: "/dev/vda"
    disk_read_limits disk_reads;       // for each of `disks`
};

struct created_container {
    std::string id;
    std::vector<std::string> warnings = {};    // sentences of the engine about settings that it does not apply
};

enum class container_state { created, running, paused, restarting, removing, exited, dead };

struct container_info {
    std::string id;
    std::string name;
    std::string image;           // as given to create()
    std::string image_digest;    // "sha256:…": the image's id
    container_state state = container_state::created;
    std::int64_t pid = 0;    // on the engine's host; 0: not running
    std::int64_t exit_code = 0;
    bool oom_killed = false;
    std::string error;    // the engine's message if the start failed
    std::map<std::string, std::string> labels;
};

struct container_summary {
    std::string id;
    std::string name;
    container_state state = container_state::created;
    std::map<std::string, std::string> labels;
};

struct container_stats {
    std::optional<std::int64_t> cpu_us;
    std::optional<std::int64_t> memory_bytes;
    std::optional<std::int64_t> memory_peak_bytes;
    std::optional<std::int64_t> pids;
};

/// One line of GET /events about a container or an image.
struct container_event {
    std::string action;    // "die", "oom", "pause", "unpause", "destroy", "kill"
    std::string id;
    std::map<std::string, std::string> attributes;    // "exitCode", labels, ...
    std::int64_t at_ns = 0;
};

}    // namespace caisson::docker

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
    std::int64_t inodes = 0;    // 0: not bounded
    unsigned mode = 0755;
    std::optional<std::int64_t> uid;    // owner, and group of the same number
    bool executable = true;
    bool read_only = false;
};

/// Read-only, but for what is being filled.
struct container_bind {
    std::string source;    // path on the engine's host, or the name of a volume
    std::string target;
    bool is_volume = false;    // that is not filled from the image
    bool filling = false;      // writable, so that put_archive can fill a volume: of a container that is never started
};

/// What a container is made of. What is not here is always so: hardening of design section 8 (all capabilities dropped,
/// no-new-privileges, read-only root, network none, no log driver, OpenStdin without StdinOnce, no swap, private IPC).
struct container_spec {
    std::string name;
    std::string image;    // a name or an id
    std::string engine_runtime = "runc";
    std::vector<std::string> entrypoint;     // whole; the image's own and its command are not used
    std::vector<std::string> environment;    // "NAME=value", over the image's; "NAME" takes that one of the image's out
    std::string user;                        // "1000:1000"
    std::string working_directory = "/";
    std::map<std::string, std::string> labels;
    std::vector<container_tmpfs> tmpfs;
    std::vector<container_bind> binds;
    bool open_stdin = false;
    std::optional<std::int64_t> memory_bytes;    // of the whole container, swap included
    std::optional<std::int64_t> cpu_milli;
    std::optional<std::int64_t> cpu_shares;
    std::optional<std::int64_t> pids;    // tasks of the host: of gVisor its own threads too, some 30, without which it does not start
    std::int64_t shm_bytes = 64 << 20;
    std::vector<std::string> disks;    // whose reads are bounded: files of the engine's host, "/dev/vda"
    disk_read_limits disk_reads;       // of each of them
};

struct created_container {
    std::string id;
    std::vector<std::string> warnings = {};    // of the engine, as sentences: what it does not do as it was asked to
};

enum class container_state { created, running, paused, restarting, removing, exited, dead };

struct container_info {
    std::string id;
    std::string name;
    std::string image;           // as it was asked for
    std::string image_digest;    // "sha256:…": the image's id
    container_state state = container_state::created;
    std::int64_t pid = 0;    // on the engine's host; 0: it does not run
    std::int64_t exit_code = 0;
    bool oom_killed = false;
    std::string error;    // of the engine, when it could not be started
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

/// One line of GET /events, of a container or an image.
struct container_event {
    std::string action;    // "die", "oom", "pause", "unpause", "destroy", "kill"
    std::string id;
    std::map<std::string, std::string> attributes;    // labels too, "exitCode"
    std::int64_t at_ns = 0;
};

}    // namespace caisson::docker

#pragma once

#include "adapters/engine/container_types.hpp"
#include "core/runtime/types.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace caisson::docker {

/// How the agent's program comes into a container: as a file of the engine's host, or as "agent" in a named volume.
enum class agent_entry { bind, volume };

/// How the server reaches the agent: over a socket in a directory of the host that the container sees, or over its stdio.
enum class agent_way { socket, stdio };

/// What containers of one runtime have in common. The socket class changes the parts that are a sandbox's own.
struct container_settings {
    std::string instance;                      // of the server: nobody else's containers are touched
    std::string runtime = "docker";            // of Caisson: "docker", "gvisor"
    std::string engine_runtime = "runc";       // of the engine
    std::string name_prefix = "caisson-";      // of containers
    std::string user = "1000:1000";            // numbers, never root's: "uid:gid"
    std::string image;                         // where the spec names none
    std::vector<std::string> environment{};    // of the agent; programs get their own
    agent_entry entry = agent_entry::bind;
    std::string agent;    // path on the engine's host, or the volume's name
    agent_way link = agent_way::stdio;
    std::string link_directory = {};           // on the engine's host; for agent_way::socket
    std::vector<container_bind> binds = {};    // more of them: "/etc/passwd"
    std::vector<std::string> disks = {};       // as in container_spec
    disk_read_limits disk_reads = {};          // likewise
    bool counts_threads = false;               // the OCI runtime's own threads are in the group too (gVisor)
};

/// Of all containers: whose they are.
inline constexpr const char* instance_label = "caisson.instance";

/// Where containers find what is the server's.
inline constexpr std::string_view agent_path = "/.caisson/agent";
inline constexpr std::string_view agent_volume_directory = "/.caisson/bin";
inline constexpr std::string_view link_directory_path = "/.caisson/link";

/// What the container needs besides the programs' memory, with the agent in it.
inline constexpr std::int64_t agent_memory_bytes = 64 << 20;

/// Hardening is what container_spec always is; this adds what depends on the sandbox. Limits are those of the whole container: memory is
/// that of the programs, the disk (a tmpfs) and agent_memory_bytes. Where the agent is in a volume, trees are too: host_path is its name.
container_spec plan_container(const sandbox_spec& wanted, const container_settings& settings);

/// "caisson-sbx_…".
std::string container_name(const sandbox_id& id, const container_settings& settings);
/// "name=value" of what all containers of this instance and runtime have: to list them by.
std::vector<std::string> own_labels(const container_settings& settings);
/// Of one sandbox's alone.
std::vector<std::string> labels_of_sandbox(const sandbox_id& id, const container_settings& settings);
/// By the labels, which only containers of this instance and runtime have so; nothing for others, and for helpers of the runtime.
std::optional<sandbox_id> sandbox_of(const std::map<std::string, std::string>& labels, const container_settings& settings);
/// Whether its agent listens on its stdio.
bool takes_stdio(const std::map<std::string, std::string>& labels);
std::string work_directory_of(const std::map<std::string, std::string>& labels);
/// Of the uid of `user`; nothing if it is no number or root's.
std::optional<std::int64_t> uid_of(std::string_view user);

}    // namespace caisson::docker

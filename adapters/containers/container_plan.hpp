#pragma once

#include "adapters/engine/container_types.hpp"
#include "core/runtime/types.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace caisson::docker {

/// The source of the agent's program: a file of the engine's host, or "agent" in a named volume.
enum class agent_entry { bind, volume };

/// The link to the agent: a socket in a host directory that the container mounts, or the container's stdio.
enum class agent_way { socket, stdio };

/// The settings shared by the containers of one runtime. docker_runtime sets the members that differ for each sandbox.
struct container_settings {
    std::string instance;                      // of the server, which touches only containers with this label
    std::string runtime = "docker";            // Caisson's name: "docker", "gvisor"
    std::string engine_runtime = "runc";       // the engine's OCI runtime
    std::string name_prefix = "caisson-";      // of containers
    std::string user = "1000:1000";            // numeric "uid:gid", never root
    std::string image;                         // if the spec names none
    std::vector<std::string> environment{};    // of the agent; programs get their own
    agent_entry entry = agent_entry::bind;
    std::string agent;    // path on the engine's host, or the volume's name
    agent_way link = agent_way::stdio;
    std::string link_directory = {};           // on the engine's host; for agent_way::socket
    std::vector<container_bind> binds = {};    // additional ones: "/etc/passwd"
    std::vector<std::string> disks = {};       // as in container_spec
    disk_read_limits disk_reads = {};          // as in container_spec
    bool counts_threads = false;               // the cgroup also counts the OCI runtime's own threads (gVisor)
};

/// The label with the owning server's instance, on all containers.
inline constexpr const char* instance_label = "caisson.instance";

/// The server's files in containers.
inline constexpr std::string_view agent_path = "/.caisson/agent";
inline constexpr std::string_view agent_volume_directory = "/.caisson/bin";
inline constexpr std::string_view link_directory_path = "/.caisson/link";

/// The container's memory besides that of the programs, including the agent's.
inline constexpr std::int64_t agent_memory_bytes = 64 << 20;

/// Plans a sandbox's container. Limits apply to the whole container: memory is that of the programs, the disk (a tmpfs) and
/// agent_memory_bytes. With agent_entry::volume trees are volumes too: host_path is a volume's name.
container_spec plan_container(const sandbox_spec& wanted, const container_settings& settings);

/// "caisson-sbx_…".
std::string container_name(const sandbox_id& id, const container_settings& settings);
/// The labels ("name=value") of all containers of this instance and runtime, for listing them.
std::vector<std::string> own_labels(const container_settings& settings);
/// The labels of one sandbox's containers, for listing them.
std::vector<std::string> labels_of_sandbox(const sandbox_id& id, const container_settings& settings);
/// The sandbox of a container or helper with these labels; nothing for those of other instances and runtimes.
std::optional<sandbox_id> sandbox_of(const std::map<std::string, std::string>& labels, const container_settings& settings);
/// True if the container's agent uses its stdio as the link.
bool takes_stdio(const std::map<std::string, std::string>& labels);
std::string work_directory_of(const std::map<std::string, std::string>& labels);
/// The uid in `user`; nothing if it is not a number or is root's.
std::optional<std::int64_t> uid_of(std::string_view user);

}    // namespace caisson::docker

#include "adapters/containers/container_plan.hpp"

#include <algorithm>
#include <charconv>

namespace caisson::docker {

namespace {

constexpr const char* runtime_label = "caisson.runtime";
constexpr const char* sandbox_label = "caisson.sandbox";
constexpr const char* link_label = "caisson.link";
constexpr const char* work_label = "caisson.work";
constexpr const char* image_label = "caisson.image";    // its name: the container refers to an id

constexpr unsigned work_mode = 0700;
constexpr unsigned tmp_mode = 01777;
constexpr std::int64_t most_shm_bytes = 64 << 20;
/// The agent itself, and its child between clone and execve.
constexpr std::int64_t agent_pids = 2;
/// gVisor's kernel is a host program: it uses about eight host threads and processes for each process inside, and some of its own.
/// If it is refused one it ends with the whole sandbox, so this limit only stops what is out of its control.
constexpr std::int64_t threads_per_pid = 10;
constexpr std::int64_t threads_of_kernel = 256;

std::vector<std::string> agent_command(const sandbox_spec& wanted, const container_settings& settings)
{
    const bool in_volume = settings.entry == agent_entry::volume;
    std::vector<std::string> argv{in_volume ? std::string(agent_volume_directory) + "/agent" : std::string(agent_path)};
    argv.insert(argv.end(), {"--work", wanted.work_directory});
    if (settings.link == agent_way::socket)
        argv.insert(argv.end(), {"--connect", std::string(link_directory_path) + "/s"});
    else
        argv.emplace_back("--stdio");
    return argv;
}

/// Each tmpfs may use the whole disk limit; it is not divided between them.
std::vector<container_tmpfs> writable(const sandbox_spec& wanted, const container_settings& settings)
{
    const auto uid = uid_of(settings.user);
    const auto place = [&](std::string path, unsigned mode) {
        return container_tmpfs{std::move(path), wanted.limits.disk_bytes, wanted.limits.inodes, mode, uid, true};
    };
    return {place(wanted.work_directory, work_mode), place("/tmp", tmp_mode)};
}

std::vector<container_bind> read_only(const sandbox_spec& wanted, const container_settings& settings)
{
    const bool in_volume = settings.entry == agent_entry::volume;
    std::vector<container_bind> binds{{settings.agent, std::string(in_volume ? agent_volume_directory : agent_path), in_volume}};
    if (settings.link == agent_way::socket)
        binds.push_back({settings.link_directory, std::string(link_directory_path)});
    for (const auto& tree : wanted.trees)
        binds.push_back({tree.host_path, wanted.work_directory + "/" + tree.place, in_volume});
    binds.insert(binds.end(), settings.binds.begin(), settings.binds.end());
    return binds;
}

void set_limits(container_spec& spec, const sandbox_limits& limits, const container_settings& settings)
{
    spec.memory_bytes = limits.memory_bytes + limits.disk_bytes + agent_memory_bytes;
    spec.cpu_milli = limits.cpu_milli;
    spec.shm_bytes = std::min(most_shm_bytes, std::max<std::int64_t>(limits.disk_bytes, 1 << 20));
    spec.pids = limits.pids + agent_pids;
    if (settings.counts_threads)
        spec.pids = *spec.pids * threads_per_pid + threads_of_kernel;
}

std::string value_of(const std::map<std::string, std::string>& labels, const char* name)
{
    const auto found = labels.find(name);
    return found == labels.end() ? std::string() : found->second;
}

}    // namespace

container_spec plan_container(const sandbox_spec& wanted, const container_settings& settings)
{
    container_spec spec;
    spec.name = container_name(wanted.id, settings);
    spec.image = wanted.image.empty() ? settings.image : wanted.image;
    spec.engine_runtime = settings.engine_runtime;
    spec.entrypoint = agent_command(wanted, settings);
    spec.environment = settings.environment;
    spec.user = settings.user;
    spec.labels = {{instance_label, settings.instance}, {runtime_label, settings.runtime}, {sandbox_label, wanted.id.str()},
        {link_label, settings.link == agent_way::stdio ? "stdio" : "socket"}, {work_label, wanted.work_directory},
        {image_label, spec.image}};
    spec.tmpfs = writable(wanted, settings);
    spec.binds = read_only(wanted, settings);
    spec.open_stdin = settings.link == agent_way::stdio;
    set_limits(spec, wanted.limits, settings);
    spec.disks = settings.disks;
    spec.disk_reads = settings.disk_reads;
    return spec;
}

std::string container_name(const sandbox_id& id, const container_settings& settings) { return settings.name_prefix + id.str(); }

std::vector<std::string> own_labels(const container_settings& settings)
{
    return {std::string(instance_label) + "=" + settings.instance, std::string(runtime_label) + "=" + settings.runtime};
}

std::optional<sandbox_id> sandbox_of(const std::map<std::string, std::string>& labels, const container_settings& settings)
{
    if (value_of(labels, instance_label) != settings.instance || value_of(labels, runtime_label) != settings.runtime)
        return std::nullopt;
    return sandbox_id::parse(value_of(labels, sandbox_label));
}

std::vector<std::string> labels_of_sandbox(const sandbox_id& id, const container_settings& settings)
{
    auto labels = own_labels(settings);
    labels.push_back(std::string(sandbox_label) + "=" + id.str());
    return labels;
}

bool takes_stdio(const std::map<std::string, std::string>& labels) { return value_of(labels, link_label) == "stdio"; }

std::string work_directory_of(const std::map<std::string, std::string>& labels) { return value_of(labels, work_label); }

std::optional<std::int64_t> uid_of(std::string_view user)
{
    const auto digits = user.substr(0, user.find(':'));
    std::int64_t uid = 0;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), uid);
    if (failure != std::errc() || end != digits.data() + digits.size() || uid <= 0)
        return std::nullopt;
    return uid;
}

}    // namespace caisson::docker

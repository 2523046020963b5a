#include "adapters/engine/containers.hpp"
#include "adapters/engine/json_fields.hpp"
#include "adapters/host/host_numbers.hpp"

#include <boost/json/object.hpp>

#include <stdexcept>

namespace caisson::docker {

namespace json = boost::json;

namespace {

json::array array_of(const std::vector<std::string>& texts)
{
    json::array out;
    for (const auto& each : texts)
        out.emplace_back(each);
    return out;
}

std::string octal(unsigned number)
{
    std::string out;
    for (; number > 0; number /= 8)
        out.insert(out.begin(), static_cast<char>('0' + number % 8));
    return "0" + out;
}

/// Mount options; always nosuid and nodev.
std::string options_of(const container_tmpfs& of)
{
    std::string out = of.read_only ? "ro,nosuid,nodev," : "rw,nosuid,nodev,";
    out += of.executable ? "exec" : "noexec";
    out += ",mode=" + octal(of.mode);
    if (of.bytes > 0)
        out += ",size=" + std::to_string(of.bytes);
    if (of.inodes > 0)
        out += ",nr_inodes=" + std::to_string(of.inodes);
    if (of.uid)
        out += ",uid=" + std::to_string(*of.uid) + ",gid=" + std::to_string(*of.uid);
    return out;
}

json::object mount_of(const container_bind& of)
{
    json::object out{{"Type", of.is_volume ? "volume" : "bind"}, {"Source", of.source}, {"Target", of.target}, {"ReadOnly", !of.filling}};
    if (of.is_volume)
        out["VolumeOptions"] = json::object{{"NoCopy", true}};
    else
        out["BindOptions"] = json::object{{"Propagation", "rprivate"}};
    return out;
}

/// Paths that expose the host or its kernel and that programs do not need. The engine shows them as empty.
json::array masked_paths()
{
    json::array out;
    for (const char* name : {"acpi", "asound", "cmdline", "interrupts", "kallsyms", "kcore", "key-users", "keys", "latency_stats", "locks",
             "pressure", "sched_debug", "scsi", "sysrq-trigger", "timer_list", "timer_stats"})
        out.emplace_back(std::string("/proc/") + name);
    out.emplace_back("/sys");
    return out;
}

/// The settings that isolate every container from the host.
json::object confinement()
{
    return {
        {"Privileged", false},
        {"CapAdd", json::array()},
        {"CapDrop", {"ALL"}},
        {"SecurityOpt", {"no-new-privileges"}},    // the engine's own seccomp and AppArmor profiles stay
        {"ReadonlyRootfs", true},
        {"MaskedPaths", masked_paths()},    // the engine's own ReadonlyPaths stay
        {"NetworkMode", "none"},
        {"IpcMode", "private"},
        {"CgroupnsMode", "private"},    // ignored by engines before API 1.41
        {"PidMode", ""},
        {"UTSMode", ""},
        {"PublishAllPorts", false},
        {"LogConfig", {{"Type", "none"}, {"Config", json::object()}}},
        {"RestartPolicy", {{"Name", "no"}, {"MaximumRetryCount", 0}}},
        {"AutoRemove", false},
        {"Init", false},
        {"OomKillDisable", false},
        {"OomScoreAdj", sandbox_oom_score_adj},
    };
}

json::array rates_of(const std::vector<std::string>& disks, std::int64_t rate)
{
    json::array out;
    for (const auto& each : disks)
        out.emplace_back(json::object{{"Path", each}, {"Rate", rate}});
    return out;
}

void add_limits(json::object& to, const container_spec& spec)
{
    to["ShmSize"] = spec.shm_bytes;
    if (spec.memory_bytes) {    // equal values: no swap
        to["Memory"] = *spec.memory_bytes;
        to["MemorySwap"] = *spec.memory_bytes;
    }
    if (spec.cpu_milli)
        to["NanoCpus"] = *spec.cpu_milli * 1'000'000;
    if (spec.cpu_shares)
        to["CpuShares"] = *spec.cpu_shares;
    if (spec.pids)
        to["PidsLimit"] = *spec.pids;
    if (spec.disk_reads.bytes_per_s > 0 && !spec.disks.empty())
        to["BlkioDeviceReadBps"] = rates_of(spec.disks, spec.disk_reads.bytes_per_s);
    if (spec.disk_reads.reads_per_s > 0 && !spec.disks.empty())
        to["BlkioDeviceReadIOps"] = rates_of(spec.disks, spec.disk_reads.reads_per_s);
}

json::object host_config_of(const container_spec& spec)
{
    auto out = confinement();
    out["Runtime"] = spec.engine_runtime;
    add_limits(out, spec);
    json::object tmpfs;
    for (const auto& each : spec.tmpfs)
        tmpfs[each.path] = options_of(each);
    out["Tmpfs"] = std::move(tmpfs);
    json::array mounts;
    for (const auto& each : spec.binds)
        mounts.push_back(mount_of(each));
    out["Mounts"] = std::move(mounts);
    return out;
}

container_state state_from(const json::value& text)
{
    constexpr std::pair<std::string_view, container_state> names[] = {
        {"created", container_state::created},
        {"running", container_state::running},
        {"paused", container_state::paused},
        {"restarting", container_state::restarting},
        {"removing", container_state::removing},
        {"exited", container_state::exited},
        {"dead", container_state::dead},
    };
    for (const auto& [name, state] : names)
        if (text.as_string() == name)
            return state;
    throw std::runtime_error("it is in no known state");
}

/// Removes the slash that the engine puts before names.
std::string name_from(std::string text)
{
    if (text.starts_with('/'))
        text.erase(0, 1);
    return text;
}

}    // namespace

json::object to_json(const container_spec& spec)
{
    json::object labels;
    for (const auto& [name, value] : spec.labels)
        labels[name] = value;
    return {
        {"Image", spec.image},
        {"Entrypoint", array_of(spec.entrypoint)},
        {"Cmd", json::array()},
        {"Env", array_of(spec.environment)},
        {"Hostname", "sandbox"},
        {"User", spec.user},
        {"WorkingDir", spec.working_directory},
        {"Labels", std::move(labels)},
        {"Tty", false},
        {"AttachStdin", false},
        {"AttachStdout", false},
        {"AttachStderr", false},
        {"OpenStdin", spec.open_stdin},
        {"StdinOnce", false},
        {"StopSignal", "SIGKILL"},    // the agent ignores others: a stopping engine must not wait for it
        {"Healthcheck", {{"Test", {"NONE"}}}},
        {"HostConfig", host_config_of(spec)},
    };
}

container_info container_info_from(const json::value& from)
{
    const auto& state = needed(from, "State");
    const auto& config = needed(from, "Config");
    container_info out;
    out.id = needed(from, "Id").as_string();
    out.name = name_from(text_of(from, "Name"));
    out.image = text_of(config, "Image");
    out.image_digest = text_of(from, "Image");
    out.state = state_from(needed(state, "Status"));
    out.pid = number_of(state, "Pid");
    out.exit_code = number_of(state, "ExitCode");
    out.oom_killed = flag_of(state, "OOMKilled");
    out.error = text_of(state, "Error");
    out.labels = labels_of(config, "Labels");
    return out;
}

container_summary container_summary_from(const json::value& from)
{
    const auto names = texts_of(from, "Names");
    container_summary out;
    out.id = needed(from, "Id").as_string();
    out.name = names.empty() ? std::string() : name_from(names.front());
    out.state = state_from(needed(from, "State"));
    out.labels = labels_of(from, "Labels");
    return out;
}

container_stats container_stats_from(const json::value& from)
{
    container_stats out;
    // The engine returns a time in year 1 if the container is not running.
    if (needed(from, "read").as_string().starts_with("0001-"))
        return out;
    if (const auto* const cpu = member(from, "cpu_stats"))
        if (const auto* const usage = member(*cpu, "cpu_usage"))
            if (const auto total_ns = some_number_of(*usage, "total_usage"))
                out.cpu_us = *total_ns / 1'000;
    if (const auto* const memory = member(from, "memory_stats")) {
        out.memory_bytes = some_number_of(*memory, "usage");
        out.memory_peak_bytes = some_number_of(*memory, "max_usage");    // cgroup v1 only
    }
    if (const auto* const pids = member(from, "pids_stats"))
        out.pids = some_number_of(*pids, "current");
    return out;
}

}    // namespace caisson::docker

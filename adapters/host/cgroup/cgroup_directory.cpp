#include "adapters/host/cgroup/cgroup_directory.hpp"

#include "adapters/host/cgroup/kernel_text.hpp"
#include "adapters/host/cgroup/sandbox_parts.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace caisson {

namespace {

/// Quota per period in microseconds; the kernel's minimum is 1,000.
struct cpu_quota {
    explicit cpu_quota(std::int64_t cpu_milli)
        : period_us(cpu_milli < 10 ? 1'000'000 : 100'000), quota_us(std::max<std::int64_t>(1'000, cpu_milli * period_us / 1'000))
    {
    }
    std::int64_t period_us;
    std::int64_t quota_us;
};

bool try_remove_below(cgroup_io& io, const std::string& directory)
{
    if (io.remove_directory(directory) == 0)
        return true;
    for (const auto& name : io.directories(directory))
        try_remove_below(io, directory + "/" + name);
    return io.remove_directory(directory) == 0;
}

}    // namespace

std::string cgroup_directory::file(std::string_view v1_file, std::string_view v2_file) const
{
    return member_.directory + "/" + std::string(is_v1() ? v1_file : v2_file);
}

result<void> cgroup_directory::write(const std::string& file, const std::string& text) const
{
    const int failed = io_.write(member_.directory + "/" + file, text);
    if (failed != 0)
        return error{errc::runtime_unavailable, "cgroup: " + file + " = " + text + ": " + std::strerror(failed)};
    return {};
}

result<void> cgroup_directory::make() const
{
    const int failed = io_.make_directory(member_.directory);
    if (failed != 0)
        return error{errc::runtime_unavailable, "cgroup: " + member_.directory + ": " + std::strerror(failed)};
    return {};
}

result<void> cgroup_directory::enable_children() const
{
    if (is_v1())
        return {};
    constexpr std::pair<unsigned, const char*> controllers[] = {
        {cgroup_control::memory, "+memory"}, {cgroup_control::pids, "+pids"}, {cgroup_control::cpu, "+cpu"}};
    for (const auto& [control, text] : controllers) {
        if (!has(control))
            continue;
        auto enabled = write("cgroup.subtree_control", text);
        if (enabled.has_error())
            return enabled;
    }
    return {};
}

result<unique_fd> cgroup_directory::open_for_join() const
{
    auto opened = io_.open(member_.directory + "/cgroup.procs");
    if (!opened)
        return error{errc::runtime_unavailable, "cgroup: cgroup.procs: " + std::string(std::strerror(errno))};
    return opened;
}

result<void> cgroup_directory::limit_memory(const cgroup_limits& limits) const
{
    const auto bytes = std::to_string(*limits.memory_bytes);
    const bool v1 = is_v1();
    const std::string limit_file = v1 ? "memory.limit_in_bytes" : "memory.max";
    const std::string swap_file = v1 ? "memory.memsw.limit_in_bytes" : "memory.swap.max";
    const bool counts_swap = has(cgroup_control::swap);
    auto done = write(limit_file, bytes);
    if (done.has_error() && v1 && counts_swap) {    // the memsw limit must not be below the memory limit
        done = write(swap_file, bytes);
        if (!done.has_error())
            done = write(limit_file, bytes);
    }
    if (done.has_error())
        return done;
    if (!v1 && limits.group_oom) {
        done = write("memory.oom.group", "1");
        if (done.has_error())
            return done;
    }
    // Disable swap. Kernels without swap accounting lack the file; v1 then only offers swappiness.
    if (counts_swap || v1)
        done = counts_swap ? write(swap_file, v1 ? bytes : "0") : write("memory.swappiness", "0");
    if (done.has_error() || !has(cgroup_control::tcp))
        return done;
    return write("memory.kmem.tcp.limit_in_bytes", std::to_string(limits.tcp_bytes.value_or(*limits.memory_bytes)));
}

result<void> cgroup_directory::limit_pids(std::int64_t pids) const { return write("pids.max", std::to_string(pids)); }

result<void> cgroup_directory::limit_cpu(std::int64_t cpu_milli) const
{
    const cpu_quota quota(cpu_milli);
    const auto period = std::to_string(quota.period_us);
    if (!is_v1())
        return write("cpu.max", std::to_string(quota.quota_us) + " " + period);
    auto done = write("cpu.cfs_period_us", period);
    if (done.has_error())
        return done;
    return write("cpu.cfs_quota_us", std::to_string(quota.quota_us));
}

result<void> cgroup_directory::limit_disk_reads(const disk_read_limits& limits, const std::string& device) const
{
    const auto number = [](std::int64_t value, const char* none) { return value > 0 ? std::to_string(value) : none; };
    std::vector<std::pair<std::string, std::string>> files;
    if (is_v1())
        files = {{"blkio.throttle.read_bps_device", device + " " + number(limits.bytes_per_s, "0")},
            {"blkio.throttle.read_iops_device", device + " " + number(limits.reads_per_s, "0")}};
    else
        files = {{"io.max", device + " rbps=" + number(limits.bytes_per_s, "max") + " riops=" + number(limits.reads_per_s, "max")}};
    for (const auto& [name, text] : files) {
        const int failed = io_.write(member_.directory + "/" + name, text);
        if (failed != 0)
            return error{failed == ENODEV ? errc::not_found : errc::runtime_unavailable,
                "cgroup: " + name + " = " + text + ": " + std::strerror(failed)};
    }
    return {};
}

void cgroup_directory::forbid_forks() const
{
    for (const auto& directory : directories())
        io_.write(directory + "/pids.max", "0");
}

result<void> cgroup_directory::set_frozen(bool frozen) const
{
    return is_v1() ? write("freezer.state", frozen ? "FROZEN" : "THAWED") : write("cgroup.freeze", frozen ? "1" : "0");
}

bool cgroup_directory::is_frozen() const
{
    const auto text = io_.read(file("freezer.state", "cgroup.events"));
    if (!text)
        return false;
    return is_v1() ? text->starts_with("FROZEN") : number_of(*text, "frozen") == 1;
}

void cgroup_directory::thaw_all() const
{
    for (const auto& directory : directories())
        io_.write(directory + (is_v1() ? "/freezer.state" : "/cgroup.freeze"), is_v1() ? "THAWED" : "0");
}

/// The group's own directory first, its siblings if it is flat, and all below them.
std::vector<std::string> cgroup_directory::directories() const
{
    std::vector<std::string> found{member_.directory};
    for (const auto suffix : sibling_suffixes)
        if (auto beside = member_.directory + std::string(suffix); member_.is_flat && io_.exists(beside))
            found.push_back(std::move(beside));
    for (std::size_t at = 0; at < found.size(); ++at) {
        for (const auto& name : io_.directories(found[at]))
            found.push_back(found[at] + "/" + name);
    }
    return found;
}

std::set<pid_t> cgroup_directory::processes() const
{
    std::set<pid_t> found;
    for (const auto& directory : directories()) {
        const auto text = io_.read(directory + "/cgroup.procs").value_or("");
        for (std::string_view rest = text; !rest.empty();) {
            if (const auto pid = number_of(take_line(rest)); pid && *pid > 0)
                found.insert(static_cast<pid_t>(*pid));
        }
    }
    return found;
}

bool cgroup_directory::is_known_to_be_empty() const
{
    if (!is_v1() && io_.exists(member_.directory)) {
        const auto text = io_.read(member_.directory + "/cgroup.events");
        return text && number_of(*text, "populated") == 0;
    }
    return std::ranges::all_of(
        directories(), [this](const std::string& each) { return io_.read(each + "/cgroup.procs") == "" || !io_.exists(each); });
}

result<void> cgroup_directory::kill() const { return write("cgroup.kill", "1"); }

bool cgroup_directory::try_remove() const { return try_remove_below(io_, member_.directory); }

bool cgroup_directory::try_remove_siblings() const
{
    bool gone = true;
    if (member_.is_flat)
        for (const auto suffix : sibling_suffixes)
            gone = try_remove_below(io_, member_.directory + std::string(suffix)) && gone;
    return gone;
}

}    // namespace caisson

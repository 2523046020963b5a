#include "adapters/host/cgroup/control_group.hpp"

#include "adapters/host/cgroup/kernel_text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

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

}    // namespace

control_group control_group::child(const std::string& name) const
{
    auto members = members_;
    for (auto& member : members)
        member.directory += "/" + name;
    return {io_, std::move(members)};
}

namespace {

/// In cgroup v2 a group that hands down controllers must have no processes.
bool agent_needs_own(const cgroup_member& sandbox)
{
    constexpr unsigned handed_down = cgroup_control::memory | cgroup_control::pids | cgroup_control::cpu;
    return sandbox.version == cgroup_version::v2 && (sandbox.controls & handed_down) != 0;
}

/// Whether a part is of another program than the first.
bool is_later_program_part(std::string_view name)
{
    return name.starts_with(std::string(work_part) + ".") || name.starts_with(std::string(compiler_part) + ".");
}

bool has_own(const cgroup_member& sandbox, std::string_view name)
{
    if (sandbox.is_flat)
        return name == compiler_part || is_later_program_part(name);
    return name != agent_part || agent_needs_own(sandbox);
}

std::string directory_of(const cgroup_member& sandbox, std::string_view name)
{
    const auto& whole = sandbox.directory;
    if (!has_own(sandbox, name))
        return sandbox.is_flat && name == agent_part ? whole.substr(0, whole.rfind('/')) : whole;
    if (!sandbox.is_flat)
        return whole + "/" + std::string(name);
    return is_later_program_part(name) ? whole + std::string(programs_suffix) + "/" + std::string(name)
                                       : whole + std::string(compiler_suffix);
}

}    // namespace

control_group control_group::whole() const
{
    auto members = members_;
    std::erase_if(members, [](const cgroup_member& member) { return member.is_flat; });
    return {io_, std::move(members)};
}

control_group control_group::part(std::string_view name) const
{
    auto members = members_;
    for (auto& member : members) {
        member.directory = directory_of(member, name);
        member.is_flat = false;
    }
    return {io_, std::move(members)};
}

control_group control_group::own_part(std::string_view name) const
{
    auto members = members_;
    std::erase_if(members, [name](const cgroup_member& member) { return !has_own(member, name); });
    return control_group(io_, std::move(members)).part(name);
}

result<void> control_group::make_later_programs_group(const cgroup_limits& limits)
{
    auto members = members_;
    std::erase_if(members, [](const cgroup_member& member) { return !member.is_flat; });
    for (auto& member : members) {
        member.directory += programs_suffix;
        member.is_flat = false;
    }
    control_group all(io_, std::move(members));
    auto done = all.make();
    return done.has_error() ? done : all.limit(limits);
}

std::vector<control_group> control_group::later_program_parts() const
{
    std::set<std::string> names;
    for (const auto& member : members_)
        for (auto& name : io_->directories(member.is_flat ? member.directory + std::string(programs_suffix) : member.directory))
            if (is_later_program_part(name))
                names.insert(std::move(name));
    std::vector<control_group> found;
    for (const auto& name : names) {
        auto each = part(name);
        std::erase_if(each.members_, [this](const cgroup_member& member) { return !io_->exists(member.directory); });
        found.push_back(std::move(each));
    }
    return found;
}

control_group control_group::without_siblings() const
{
    auto members = members_;
    for (auto& member : members)
        member.is_flat = false;
    return {io_, std::move(members)};
}

const cgroup_member* control_group::with(unsigned what) const
{
    for (const auto& member : members_) {
        if ((member.controls & what) != 0)
            return &member;
    }
    return nullptr;
}

bool control_group::controls(unsigned what) const { return with(what) != nullptr; }

std::string control_group::file(const cgroup_member& member, std::string_view v1_file, std::string_view v2_file) const
{
    return member.directory + "/" + std::string(member.version == cgroup_version::v1 ? v1_file : v2_file);
}

std::optional<std::string> control_group::read(unsigned what, std::string_view v1_file, std::string_view v2_file) const
{
    const auto* member = with(what);
    return member == nullptr ? std::nullopt : io_->read(file(*member, v1_file, v2_file));
}

/// Null if no hierarchy has that control.
std::unique_ptr<cgroup_file> control_group::open(unsigned what, std::string_view v1_file, std::string_view v2_file) const
{
    const auto* member = with(what);
    return member == nullptr ? nullptr : io_->open_to_read(file(*member, v1_file, v2_file));
}

result<void> control_group::write(const cgroup_member& member, const std::string& file, const std::string& text)
{
    const int failed = io_->write(member.directory + "/" + file, text);
    if (failed != 0)
        return error{errc::runtime_unavailable, "cgroup: " + file + " = " + text + ": " + std::strerror(failed)};
    return {};
}

result<void> control_group::make()
{
    for (const auto& member : members_) {
        const int failed = io_->make_directory(member.directory);
        if (failed != 0)
            return error{errc::runtime_unavailable, "cgroup: " + member.directory + ": " + std::strerror(failed)};
    }
    return {};
}

result<void> control_group::enable_children()
{
    for (const auto& member : members_) {
        if (member.version == cgroup_version::v1)
            continue;
        constexpr std::pair<unsigned, const char*> controllers[] = {
            {cgroup_control::memory, "+memory"}, {cgroup_control::pids, "+pids"}, {cgroup_control::cpu, "+cpu"}};
        for (const auto& [control, text] : controllers) {
            if ((member.controls & control) == 0)
                continue;
            auto enabled = write(member, "cgroup.subtree_control", text);
            if (enabled.has_error())
                return enabled;
        }
    }
    return {};
}

result<void> control_group::limit(const cgroup_limits& limits)
{
    if (limits.memory_bytes && controls(cgroup_control::memory)) {
        auto done = limit_memory(limits);
        if (done.has_error())
            return done;
    }
    if (limits.pids && controls(cgroup_control::pids)) {
        auto done = write(*with(cgroup_control::pids), "pids.max", std::to_string(*limits.pids));
        if (done.has_error())
            return done;
    }
    if (limits.cpu_milli && controls(cgroup_control::cpu))
        return limit_cpu(*limits.cpu_milli);
    return {};
}

result<void> control_group::limit_memory(const cgroup_limits& limits)
{
    const auto& member = *with(cgroup_control::memory);
    const auto bytes = std::to_string(*limits.memory_bytes);
    const bool v1 = member.version == cgroup_version::v1;
    const std::string file = v1 ? "memory.limit_in_bytes" : "memory.max";
    const std::string swap_file = v1 ? "memory.memsw.limit_in_bytes" : "memory.swap.max";
    const bool counts_swap = (member.controls & cgroup_control::swap) != 0;
    auto done = write(member, file, bytes);
    if (done.has_error() && v1 && counts_swap) {    // the memsw limit must not be below the memory limit
        done = write(member, swap_file, bytes);
        if (!done.has_error())
            done = write(member, file, bytes);
    }
    if (done.has_error())
        return done;
    if (!v1 && limits.group_oom) {
        done = write(member, "memory.oom.group", "1");
        if (done.has_error())
            return done;
    }
    // Disable swap. Kernels without swap accounting lack the file; v1 then only offers swappiness.
    if (counts_swap || v1)
        done = counts_swap ? write(member, swap_file, v1 ? bytes : "0") : write(member, "memory.swappiness", "0");
    if (done.has_error() || (member.controls & cgroup_control::tcp) == 0)
        return done;
    return write(member, "memory.kmem.tcp.limit_in_bytes", std::to_string(limits.tcp_bytes.value_or(*limits.memory_bytes)));
}

result<void> control_group::limit_cpu(std::int64_t cpu_milli)
{
    const auto& member = *with(cgroup_control::cpu);
    const cpu_quota quota(cpu_milli);
    const auto period = std::to_string(quota.period_us);
    if (member.version == cgroup_version::v2)
        return write(member, "cpu.max", std::to_string(quota.quota_us) + " " + period);
    auto done = write(member, "cpu.cfs_period_us", period);
    if (done.has_error())
        return done;
    return write(member, "cpu.cfs_quota_us", std::to_string(quota.quota_us));
}

result<void> control_group::limit_disk_reads(const disk_read_limits& limits, const std::string& device)
{
    const auto* member = with(cgroup_control::disk_reads);
    if (member == nullptr)
        return error{errc::runtime_unavailable, "cgroup: no hierarchy bounds what is read of disks"};
    const auto number = [](std::int64_t value, const char* none) { return value > 0 ? std::to_string(value) : none; };
    std::vector<std::pair<std::string, std::string>> files;
    if (member->version == cgroup_version::v2)
        files = {{"io.max", device + " rbps=" + number(limits.bytes_per_s, "max") + " riops=" + number(limits.reads_per_s, "max")}};
    else
        files = {{"blkio.throttle.read_bps_device", device + " " + number(limits.bytes_per_s, "0")},
            {"blkio.throttle.read_iops_device", device + " " + number(limits.reads_per_s, "0")}};
    for (const auto& [file, text] : files) {
        const int failed = io_->write(member->directory + "/" + file, text);
        if (failed != 0)
            return error{failed == ENODEV ? errc::not_found : errc::runtime_unavailable,
                "cgroup: " + file + " = " + text + ": " + std::strerror(failed)};
    }
    return {};
}

result<std::vector<unique_fd>> control_group::open_for_join() const
{
    std::vector<unique_fd> opened;
    for (const auto& member : members_) {
        opened.push_back(io_->open(member.directory + "/cgroup.procs"));
        if (!opened.back())
            return error{errc::runtime_unavailable, "cgroup: cgroup.procs: " + std::string(std::strerror(errno))};
    }
    return opened;
}

namespace {

/// Files that tell whether a memory limit was reached, of this group or of the sandbox that it is a part of.
std::vector<memory_limit_files> memory_limits_of(const cgroup_member& member)
{
    std::vector<std::string> directories{member.directory};
    const std::filesystem::path path = member.directory;
    const auto name = path.filename().string();
    if (name == work_part || name == compiler_part || is_later_program_part(name))
        directories.push_back(path.parent_path());
    std::vector<memory_limit_files> files;
    for (const auto& each : directories) {
        if (member.version == cgroup_version::v2) {
            files.push_back({.seen = each + "/memory.events.local", .limit = ""});    // .local: not what its parts met
            continue;
        }
        files.push_back({.seen = each + "/memory.max_usage_in_bytes", .limit = each + "/memory.limit_in_bytes"});
        if ((member.controls & cgroup_control::swap) != 0)
            files.push_back({.seen = each + "/memory.memsw.max_usage_in_bytes", .limit = each + "/memory.memsw.limit_in_bytes"});
    }
    return files;
}

/// True if unknown. Since 6.12 kernels do not count in the failcnt files of v1, so this compares the peak usage: the kernel kills a process
/// when not even one page fits, and an attempt may have asked for several at once. The peak may be that of an earlier program.
bool limit_was_met(const cgroup_io& io, const memory_limit_files& files)
{
    constexpr std::int64_t tried_at_once = 1 << 20;
    const auto seen = io.read(files.seen);
    if (!seen || files.limit.empty())
        return !seen || number_of(*seen, "oom").value_or(files.before + 1) > files.before;
    const auto most = number_of(*seen);
    const auto limit = number_of(io.read(files.limit).value_or(""));
    return !most || !limit || *most > *limit - tried_at_once;
}

}    // namespace

group_usage_files control_group::usage_files() const
{
    group_usage_files files;
    files.io_ = io_;
    if (const auto* member = with(cgroup_control::memory))
        files.memory_limits_ = memory_limits_of(*member);
    if (const auto* time = with(cgroup_control::cpu_usage))
        files.cpu_time_version_ = time->version;
    files.cpu_time_ = open(cgroup_control::cpu_usage, "cpuacct.usage", "cpu.stat");
    files.memory_peak_ = open(cgroup_control::memory, "memory.max_usage_in_bytes", "memory.peak");
    files.memory_events_ = open(cgroup_control::memory, "memory.oom_control", "memory.events");
    files.pids_peak_ = open(cgroup_control::pids, "pids.peak", "pids.peak");
    files.pids_events_ = open(cgroup_control::pids, "pids.events", "pids.events");
    return files;
}

std::optional<std::int64_t> control_group::memory_bytes_used() const
{
    return number_of(read(cgroup_control::memory, "memory.usage_in_bytes", "memory.current").value_or(""));
}

void group_usage_files::ignore_earlier_events()
{
    for (auto& each : memory_limits_)
        if (each.limit.empty())
            each.before = number_of(io_->read(each.seen).value_or(""), "oom").value_or(0);
}

group_usage group_usage_files::read() const
{
    const auto text_of = [](const std::unique_ptr<cgroup_file>& file) { return file ? file->read() : std::nullopt; };
    group_usage seen;
    if (const auto text = text_of(cpu_time_)) {
        if (cpu_time_version_ == cgroup_version::v2)
            seen.cpu_us = number_of(*text, "usage_usec");
        else if (const auto nanoseconds = number_of(*text))
            seen.cpu_us = *nanoseconds / 1'000;
    }
    if (const auto text = text_of(memory_peak_))
        seen.memory_peak_bytes = number_of(*text);
    if (const auto text = text_of(memory_events_))
        seen.oom_kills = number_of(*text, "oom_kill").value_or(0);
    if (seen.oom_kills > 0)
        seen.oom_outside = std::ranges::none_of(memory_limits_, [this](const auto& each) { return limit_was_met(*io_, each); });
    if (const auto text = text_of(pids_peak_))
        seen.pids_peak = number_of(*text);
    if (const auto text = text_of(pids_events_))
        seen.pids_refused = number_of(*text, "max").value_or(0);
    return seen;
}

}    // namespace caisson

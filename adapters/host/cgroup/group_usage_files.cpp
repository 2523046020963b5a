#include "adapters/host/cgroup/group_usage_files.hpp"

#include "adapters/host/cgroup/cgroup_directory.hpp"
#include "adapters/host/cgroup/kernel_text.hpp"
#include "adapters/host/cgroup/sandbox_parts.hpp"

#include <algorithm>
#include <filesystem>

namespace caisson {

/// Of this group, or of the sandbox that it is a part of.
std::vector<group_usage_files::memory_limit_files> group_usage_files::memory_limits_of(const cgroup_member& member)
{
    std::vector<std::string> directories{member.directory};
    const std::filesystem::path path = member.directory;
    const auto name = path.filename().string();
    if (name == work_part || name == compiler_part || is_later_program_part(name))
        directories.push_back(path.parent_path());
    std::vector<memory_limit_files> files;
    for (const auto& each : directories) {
        if (member.version == cgroup_version::v2) {
            files.push_back({.seen = each + "/memory.events.local", .limit = ""});    // .local: without what its child groups met
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
bool group_usage_files::limit_was_met(const cgroup_io& io, const memory_limit_files& files)
{
    constexpr std::int64_t tried_at_once = 1 << 20;
    const auto seen = io.read(files.seen);
    if (!seen || files.limit.empty())
        return !seen || number_of(*seen, "oom").value_or(files.before + 1) > files.before;
    const auto most = number_of(*seen);
    const auto limit = number_of(io.read(files.limit).value_or(""));
    return !most || !limit || *most > *limit - tried_at_once;
}

group_usage_files::group_usage_files(std::shared_ptr<cgroup_io> io, std::span<const cgroup_member> members) : io_(std::move(io))
{
    const auto open = [&](unsigned control, std::string_view v1_file, std::string_view v2_file) -> std::unique_ptr<cgroup_file> {
        const auto* member = member_with(members, control);
        return member == nullptr ? nullptr : io_->open_to_read(cgroup_directory(*io_, *member).file(v1_file, v2_file));
    };
    if (const auto* member = member_with(members, cgroup_control::memory))
        memory_limits_ = memory_limits_of(*member);
    if (const auto* time = member_with(members, cgroup_control::cpu_usage))
        cpu_time_version_ = time->version;
    cpu_time_ = open(cgroup_control::cpu_usage, "cpuacct.usage", "cpu.stat");
    memory_peak_ = open(cgroup_control::memory, "memory.max_usage_in_bytes", "memory.peak");
    memory_events_ = open(cgroup_control::memory, "memory.oom_control", "memory.events");
    pids_peak_ = open(cgroup_control::pids, "pids.peak", "pids.peak");
    pids_events_ = open(cgroup_control::pids, "pids.events", "pids.events");
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

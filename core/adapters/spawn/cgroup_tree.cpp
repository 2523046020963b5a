#include "core/adapters/spawn/cgroup_tree.hpp"

#include "core/adapters/spawn/kernel_text.hpp"
#include "core/adapters/spawn/small_file.hpp"

#include <cstring>
#include <set>
#include <sstream>
#include <unistd.h>

namespace caisson {

namespace {

constexpr std::int64_t agent_share_bytes = 64 << 20;    // of a sandbox's memory, beside its work's

struct control_file {
    unsigned control;
    const char* v1;
    const char* v2;
};
constexpr control_file control_files[] = {
    {cgroup_control::memory, "memory.limit_in_bytes", "memory.max"},
    {cgroup_control::pids, "pids.max", "pids.max"},
    {cgroup_control::cpu, "cpu.cfs_quota_us", "cpu.max"},
    {cgroup_control::cpu_usage, "cpuacct.usage", "cpu.stat"},
    {cgroup_control::freeze, "freezer.state", "cgroup.freeze"},
    {cgroup_control::kill, nullptr, "cgroup.kill"},
};

}    // namespace

cgroup_tree_options cgroup_options_of_this_process(std::string instance)
{
    constexpr std::size_t limit_bytes = 1 << 20;
    return {.instance = std::move(instance),
        .privileged = ::geteuid() == 0,
        .mountinfo = read_small_file("/proc/self/mountinfo", limit_bytes).value_or(""),
        .self_cgroup = read_small_file("/proc/self/cgroup", limit_bytes).value_or("")};
}

void cgroup_tree::release() noexcept
try {
    // Not what is below: sandboxes outlive their server.
    for (const auto& member : root_.members())
        io_->remove_directory(member.directory);
} catch (const std::exception&) {
    // Out of memory: empty groups are left.
}

unsigned cgroup_tree::controls_of(const cgroup_member& root) const
{
    unsigned controls = 0;
    for (const auto& each : control_files) {
        const char* file = root.version == cgroup_version::v1 ? each.v1 : each.v2;
        if (file != nullptr && io_->exists(root.directory + "/" + file))
            controls |= each.control;
    }
    return controls;
}

void cgroup_tree::prepare()
{
    if (std::exchange(prepared_, true))
        return;
    std::vector<cgroup_member> members;
    unsigned taken = 0;
    for (const auto& mount : parse_cgroup_mounts(options_.mountinfo, options_.self_cgroup)) {
        cgroup_member root{.directory = "", .version = mount.version, .controls = 0};
        if (!prepare_root(mount, root))
            continue;
        // The first hierarchy that can do a thing does it; v2 comes first.
        root.controls = controls_of(root) & ~taken;
        taken |= root.controls;
        if (root.controls == 0)
            io_->remove_directory(root.directory);
        else
            members.push_back(std::move(root));
    }
    root_ = control_group(io_, std::move(members));
    (void)root_.enable_children();
}

bool cgroup_tree::prepare_root(const cgroup_mount& mount, cgroup_member& root)
{
    const auto& base = options_.privileged ? mount.path : mount.own_group;
    if (base.empty())
        return false;
    root.directory = base + "/caisson-" + options_.instance;
    const int failed = io_->make_directory(root.directory);
    if (failed != 0) {
        refusal_ = root.directory + ": " + std::strerror(failed);
        return false;
    }
    if (mount.version == cgroup_version::v2)
        enable_controllers(base);
    return true;
}

void cgroup_tree::enable_controllers(const std::string& base)
{
    std::istringstream offered(io_->read(base + "/cgroup.controllers").value_or(""));
    for (std::string name; offered >> name;) {
        if (name != "memory" && name != "pids" && name != "cpu")
            continue;
        const auto file = base + "/cgroup.subtree_control";
        const auto text = "+" + name;
        int failed = io_->write(file, text);
        if (failed == EBUSY && move_processes_to_leaf(base) == 0)
            failed = io_->write(file, text);
        if (failed != 0)
            refusal_ = file + ": " + std::strerror(failed);
    }
}

/// A group of v2 that has processes cannot hand controllers to children.
int cgroup_tree::move_processes_to_leaf(const std::string& base)
{
    const auto leaf = base + "/server";
    const int failed = io_->make_directory(leaf);
    if (failed != 0)
        return failed;
    const std::string text = io_->read(base + "/cgroup.procs").value_or("");
    for (std::string_view rest = text; !rest.empty();) {
        const auto pid = take_line(rest);
        if (pid != "0")    // of another pid namespace
            io_->write(leaf + "/cgroup.procs", pid);
    }
    return 0;
}

std::vector<degradation> cgroup_tree::degraded() const
{
    const std::string reason = refusal_.empty() ? "this host has no cgroup hierarchy for it" : "no cgroup can be used: " + refusal_;
    const std::string remedy =
        options_.privileged ? "mount the cgroup file systems writable, with the memory, pids and cpu controllers"
                            : "run the server as root, or in a delegated group: systemd-run --user --scope -p Delegate=yes caisson serve";
    constexpr std::pair<unsigned, const char*> names[] = {{cgroup_control::memory, "memory"}, {cgroup_control::pids, "pids"},
        {cgroup_control::cpu, "cpu"}, {cgroup_control::cpu_usage, "usage"}, {cgroup_control::freeze, "pause"}};
    std::vector<degradation> missing;
    for (const auto& [control, name] : names) {
        if (!controls(control))
            missing.push_back({name, reason, remedy});
    }
    return missing;
}

result<control_group> cgroup_tree::make_sandbox_group(const std::string& name, const sandbox_limits& limits)
{
    auto sandbox = sandbox_group(name);
    auto agent = sandbox.child("agent");
    auto work = sandbox.child("work");
    const std::int64_t work_bytes = limits.memory_bytes + limits.disk_bytes;
    const cgroup_limits of_sandbox{.memory_bytes = work_bytes + agent_share_bytes};
    const cgroup_limits of_work{.memory_bytes = work_bytes, .pids = limits.pids, .cpu_milli = limits.cpu_milli};
    auto done = sandbox.make();
    if (!done.has_error())
        done = sandbox.enable_children();
    if (!done.has_error())
        done = sandbox.limit(of_sandbox);
    if (!done.has_error())
        done = agent.make();
    if (!done.has_error())
        done = work.make();
    if (!done.has_error())
        done = work.enable_children();
    if (!done.has_error())
        done = work.limit(of_work);
    if (done.has_error())
        return done.error();
    return sandbox;
}

std::vector<std::string> cgroup_tree::sandbox_names() const
{
    std::set<std::string> names;
    for (const auto& member : root_.members()) {
        for (auto& name : io_->directories(member.directory))
            names.insert(std::move(name));
    }
    return {names.begin(), names.end()};
}

}    // namespace caisson

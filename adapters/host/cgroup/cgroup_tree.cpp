#include "adapters/host/cgroup/cgroup_tree.hpp"

#include "adapters/host/cgroup/kernel_text.hpp"
#include "adapters/host/process.hpp"
#include "adapters/host/small_file.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <set>
#include <sstream>
#include <unistd.h>

namespace caisson {

namespace {

constexpr std::int64_t agent_share_bytes = 64 << 20;    // for the agent, in addition to the execution's memory
const std::string leaf_path = "/" + std::string(cgroup_leaf);

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
    {cgroup_control::swap, "memory.memsw.limit_in_bytes", "memory.swap.max"},
    {cgroup_control::tcp, "memory.kmem.tcp.limit_in_bytes", nullptr},
    {cgroup_control::disk_reads, "blkio.throttle.read_bps_device", "io.max"},
};

std::set<pid_t> family_of_this_process()
{
    std::set<pid_t> family{::getpid()};
    for (const pid_t pid : descendants_of(::getpid()))
        family.insert(pid);
    for (const pid_t pid : ancestors_of(::getpid()))
        family.insert(pid);
    return family;
}

std::set<std::string> words(const std::string& text)
{
    std::istringstream in(text);
    return {std::istream_iterator<std::string>(in), {}};
}

}    // namespace

cgroup_tree_options cgroup_options_of_this_process(std::string instance)
{
    constexpr std::size_t limit_bytes = 1 << 20;
    return {.instance = std::move(instance),
        .privileged = ::geteuid() == 0,
        .mountinfo = read_small_file("/proc/self/mountinfo", limit_bytes).value_or(""),
        .self_cgroup = read_small_file("/proc/self/cgroup", limit_bytes).value_or(""),
        .family = family_of_this_process()};
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
    const auto mounts = parse_cgroup_mounts(options_.mountinfo, options_.self_cgroup);
    for (const auto& mount : mounts) {
        cgroup_member root{.directory = "", .version = mount.version, .controls = 0};
        if (!prepare_root(mount, root))
            continue;
        // The first hierarchy with a control provides it; v2 comes first.
        root.controls = controls_of(root) & ~taken;
        if (root.version == cgroup_version::v1 && root.controls == cgroup_control::disk_reads) {
            taken |= root.controls;
            disk_ = control_group(io_, {std::move(root)});
            continue;
        }
        if (root.version == cgroup_version::v1)
            root.controls &= ~cgroup_control::disk_reads;    // limits of a group do not apply to its children
        root.is_flat = root.version == cgroup_version::v1 && (root.controls & cgroup_control::freeze) == 0;
        taken |= root.controls;
        if (root.controls == 0)
            io_->remove_directory(root.directory);
        else
            members.push_back(std::move(root));
    }
    // At least one group must show all processes started for a sandbox, even after this server's end.
    if (!members.empty() && std::ranges::all_of(members, &cgroup_member::is_flat))
        members.front().is_flat = false;
    for (const auto& each : members)
        io_->look_up_from(each.directory);
    root_ = control_group(io_, std::move(members));
    (void)root_.enable_children();
}

std::string cgroup_tree::base_of(const cgroup_mount& mount) const
{
    if (mount.version == cgroup_version::v2 && !options_.root.empty()) {
        if (options_.root.front() == '/')
            return mount.path + options_.root;
        return mount.own_group.empty() ? "" : std::filesystem::path(mount.own_group + "/" + options_.root).lexically_normal().string();
    }
    if (options_.privileged)
        return mount.path;
    // An earlier server moved this server's parent processes into the leaf.
    const auto& own = mount.own_group;
    return own.ends_with(leaf_path) ? own.substr(0, own.size() - leaf_path.size()) : own;
}

bool cgroup_tree::prepare_root(const cgroup_mount& mount, cgroup_member& root)
{
    const auto base = base_of(mount);
    if (base.empty())
        return false;
    root.directory = base + "/caisson-" + options_.instance;
    const int failed = io_->make_directory(root.directory);
    if (failed != 0) {
        const bool is_of_disks = mount.controllers == std::vector<std::string>{"blkio"};
        refuse(is_of_disks ? disk_refusal_ : refusal_, root.directory, failed);
        return false;
    }
    if (mount.version == cgroup_version::v2)
        enable_controllers(base);
    return true;
}

void cgroup_tree::enable_controllers(const std::string& base)
{
    const auto file = base + "/cgroup.subtree_control";
    const auto enabled = words(io_->read(file).value_or(""));
    std::vector<std::string> wanted;
    for (const auto& name : words(io_->read(base + "/cgroup.controllers").value_or(""))) {
        if ((name == "memory" || name == "pids" || name == "cpu" || name == "io") && !enabled.contains(name))
            wanted.push_back("+" + name);
    }
    // Move processes first: a group with processes would hand down cpu and pids, and afterwards threads only. The top of the hierarchy,
    // which has no type, may keep its processes.
    if (!wanted.empty() && io_->exists(base + "/cgroup.type")) {
        if (!may_move_all(base))
            return refuse(refusal_, base + " has processes that are not the server's", EBUSY);
        if (const int failed = move_processes_to_leaf(base); failed != 0)
            return refuse(refusal_, base + leaf_path, failed);
    }
    for (const auto& text : wanted) {
        if (const int failed = io_->write(file, text); failed != 0)
            refuse(text == "+io" ? disk_refusal_ : refusal_, file + " = " + text, failed);
    }
}

/// Repeats while new processes appear.
int cgroup_tree::move_processes_to_leaf(const std::string& base)
{
    const auto leaf = base + leaf_path;
    constexpr int most_passes = 10;
    for (int pass = 0; pass < most_passes; ++pass) {
        std::string text = io_->read(base + "/cgroup.procs").value_or("");
        if (text.empty())
            return 0;
        if (const int failed = io_->make_directory(leaf); failed != 0)
            return failed;
        for (std::string_view rest = text; !rest.empty();) {
            const auto pid = take_line(rest);
            const int failed = pid == "0" ? EPERM : io_->write(leaf + "/cgroup.procs", pid);    // "0": of another pid namespace
            if (failed != 0 && failed != ESRCH)
                return failed;
        }
    }
    return EBUSY;
}

void cgroup_tree::refuse(std::string& first, const std::string& what, int code)
{
    if (first.empty())
        first = what + ": " + std::strerror(code);
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
    if (!unbounded_disk_.empty())
        missing.push_back({"disk_reads", unbounded_disk_,
            options_.privileged ? "mount the cgroup file systems writable, with the io controller (blkio with cgroup v1)"
                                : "run the server as root, or in a group to which the io controller is delegated"});
    return missing;
}

namespace {

/// Limit for a group that holds the sandbox and its agent: the promised memory plus the agent's share. The execution has its own limit;
/// files written by the agent or a compiler count here too.
cgroup_limits limits_of(const sandbox_limits& limits)
{
    return {.memory_bytes = limits.memory_bytes + limits.disk_bytes + agent_share_bytes};
}

}    // namespace

result<control_group> cgroup_tree::make_sandbox_group(const std::string& name, const sandbox_limits& limits)
{
    auto sandbox = sandbox_group(name);
    auto whole = sandbox.whole();
    auto done = whole.make();
    if (!done.has_error())
        done = whole.enable_children();
    if (!done.has_error())
        done = whole.limit(limits_of(limits));
    if (!done.has_error())
        done = sandbox.own_part(agent_part).make();
    if (done.has_error())
        return done.error();
    return sandbox;
}

namespace {

/// Half of the limit in net.ipv4.tcp_mem (tcp(7)), which holds pages: least, pressure, most. Nothing if unreadable.
std::optional<std::int64_t> half_of_host_tcp(const cgroup_io& io)
{
    std::istringstream numbers(io.read("/proc/sys/net/ipv4/tcp_mem").value_or(""));
    std::int64_t least = 0;
    std::int64_t pressure = 0;
    std::int64_t most = 0;
    if (!(numbers >> least >> pressure >> most))
        return std::nullopt;
    return most / 2 * ::sysconf(_SC_PAGESIZE);
}

}    // namespace

result<void> cgroup_tree::limit_memory(std::int64_t bytes)
{
    const auto used = root_.memory_bytes_used().value_or(0);
    if (used > bytes)
        return error{errc::conflict, "they use " + std::to_string(used) + " bytes, more than the new bound of " + std::to_string(bytes) +
                                         ": it is set at the next start of the server at which they use less"};
    return root_.limit({.memory_bytes = bytes, .tcp_bytes = half_of_host_tcp(*io_)});
}

result<void> cgroup_tree::limit_disk_reads(const disk_read_limits& limits, const std::vector<block_device>& devices)
{
    auto& group = disk_.members().empty() ? root_ : disk_;
    result<void> first;
    if (!group.controls(cgroup_control::disk_reads))
        first = error{errc::runtime_unavailable, disk_refusal_.empty() ? "this host has no cgroup hierarchy for it" : disk_refusal_};
    else if (devices.empty())
        first = error{errc::runtime_unavailable, "/sys/block shows no disk"};
    for (const auto& each : devices) {
        auto done = group.limit_disk_reads(limits, each.numbers);
        const bool is_gone = done.has_error() && done.error().code == errc::not_found;
        if (done.has_error() && !is_gone && !first.has_error())
            first = error{done.error().code, each.name + ": " + done.error().detail};
    }
    if (!limits.any())
        first = result<void>();
    else
        give_turns_at_disks();
    unbounded_disk_ = first.has_error() ? first.error().detail : "";
    return first;
}

/// In v2 each sandbox with the io controller gets a share of the reads.
void cgroup_tree::give_turns_at_disks()
{
    for (const auto& member : root_.members())
        if (member.version == cgroup_version::v2 && (member.controls & cgroup_control::disk_reads) != 0)
            io_->write(member.directory + "/cgroup.subtree_control", "+io");
}

result<std::vector<unique_fd>> cgroup_tree::open_for_agent(const control_group& agent) const
{
    auto opened = agent.open_for_join();
    auto disk = disk_.open_for_join();
    if (opened.has_error() || disk.has_error())
        return opened.has_error() ? opened.error() : disk.error();
    std::ranges::move(*disk, std::back_inserter(*opened));
    return opened;
}

control_group cgroup_tree::agents_group() const
{
    auto members = root_.members();
    std::erase_if(members, [](const cgroup_member& member) { return !member.is_flat; });
    return {io_, std::move(members)};
}

result<void> cgroup_tree::limit_sandbox_group(const control_group& sandbox, const sandbox_limits& limits)
{
    return sandbox.whole().limit(limits_of(limits));
}

}    // namespace caisson

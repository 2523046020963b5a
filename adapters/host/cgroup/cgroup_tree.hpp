#pragma once

#include "adapters/host/cgroup/control_group.hpp"

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace caisson {

/// Receives the processes of the group in which the servers' root groups are made.
inline constexpr std::string_view cgroup_leaf = "caisson-leaf";

struct cgroup_tree_options {
    std::string instance;       // names the root group: caisson-<instance>
    bool privileged = false;    // true: root groups at the top of each hierarchy; false: in the server's own group, if delegated
    std::string root;           // of v2, overrides both: from the top if it begins with /, else from the server's own group
    std::string mountinfo;      // content of /proc/self/mountinfo and /proc/self/cgroup
    std::string self_cgroup;
    std::set<pid_t> family;    // this process, its ancestors and descendants: may be moved out of a shared group
};

/// Options for the current state of this process.
cgroup_tree_options cgroup_options_of_this_process(std::string instance);

/// The groups of one server instance: `<root>/<sandbox>/{agent,work,compiler,work.N,compiler.N}` in each useful hierarchy. v1 hierarchies
/// without the freezer have only `<root>/<sandbox>`, in which the first program runs, `<root>/<sandbox>.compiler`, and
/// `<root>/<sandbox>.programs/{work.N,compiler.N}`.
class cgroup_tree {
public:
    cgroup_tree(std::shared_ptr<cgroup_io> io, cgroup_tree_options options);
    /// Calls release().
    ~cgroup_tree() { release(); }
    cgroup_tree(const cgroup_tree&) = delete;
    cgroup_tree& operator=(const cgroup_tree&) = delete;

    /// Makes the root groups and finds out what they control. In v2 only groups without processes hand down controllers, so processes of
    /// the parent group are moved into a leaf: if all belong to this process's family, if the parent was configured, or if it is the top of
    /// a container. Otherwise that hierarchy is not used. Idempotent; call first.
    void prepare();
    /// Bounds the memory of all sandboxes together. Errors: errc::runtime_unavailable; errc::conflict if they already use more: the
    /// previous bound stays, since the kernel would kill some of them.
    result<void> limit_memory(std::int64_t bytes);
    /// Bounds the reads of all sandboxes together from each of these disks. Skips disks that no longer exist. Errors:
    /// errc::runtime_unavailable with the first disk that cannot be bounded; degraded() then reports it.
    result<void> limit_disk_reads(const disk_read_limits& limits, const std::vector<block_device>& devices);
    /// In v1 a limit of disk reads applies to one group and not to its children, so all processes of sandboxes must start in this group.
    /// Without members if the sandboxes' own groups are limited.
    control_group disk_group() const { return disk_; }
    /// control_group::open_for_join() of an agent's group and of disk_group().
    result<std::vector<unique_fd>> open_for_agent(const control_group& agent) const;
    /// The kernel's first refusal, with the file; empty if there was none.
    const std::string& refusal() const { return refusal_; }

    /// The root group in all useful hierarchies; without members if no group can be made.
    const control_group& root() const { return root_; }
    bool controls(unsigned what) const { return root_.controls(what); }
    /// What cannot be limited, measured or frozen, each with reason and remedy.
    std::vector<degradation> degraded() const;

    /// Makes the group of a sandbox and its agent's group, sets limits and allows further parts. Errors: errc::runtime_unavailable; then
    /// remove it.
    result<control_group> make_sandbox_group(const std::string& name, const sandbox_limits& limits);
    /// Changes the limits of a sandbox's group, before anything but the agent runs in it. Errors: errc::runtime_unavailable.
    static result<void> limit_sandbox_group(const control_group& sandbox, const sandbox_limits& limits);
    /// The server's groups that hold the agents of all sandboxes: control_group::part(). Without members where each agent has its own.
    control_group agents_group() const;
    control_group sandbox_group(const std::string& name) const { return root_.child(name); }
    /// Names of the existing sandbox groups, also in hierarchies that this server does not use now.
    std::vector<std::string> sandbox_names() const;
    /// Existing groups of a sandbox in all hierarchies, also of another server instance; for removal.
    control_group left_over_group(const std::string& instance, const std::string& name) const;
    /// Names of the sandbox groups of any server instance.
    std::set<std::string> group_names(const std::string& instance) const;
    /// Instances that have root groups where this server looks, including its own.
    std::vector<std::string> instances() const;
    const std::string& instance() const { return options_.instance; }

    /// Removes the root groups if they hold no sandbox, then the leaf if no other group needs it: its processes move back. May be called
    /// again; afterwards no groups can be made.
    void release() noexcept;

    const std::shared_ptr<cgroup_io>& io() const { return io_; }

private:
    std::string base_of(const cgroup_mount& mount) const;
    bool prepare_root(const cgroup_mount& mount, cgroup_member& root);
    void enable_controllers(const std::string& base);
    int move_processes_to_leaf(const std::string& base);
    static void refuse(std::string& first, const std::string& what, int code);
    void give_turns_at_disks();
    bool may_move_all(const std::string& base) const;
    void dissolve_leaf(const std::string& base);
    unsigned controls_of(const cgroup_member& root) const;

    std::shared_ptr<cgroup_io> io_;
    cgroup_tree_options options_;
    control_group root_;
    control_group disk_;                   // v1 only, apart from root_
    std::string unbounded_disk_;           // why disk reads are not bounded; empty if they are
    std::vector<std::string> tops_;        // mount points of the hierarchies
    std::vector<cgroup_member> places_;    // directories that may hold root groups of any instance
    std::string refusal_;
    std::string disk_refusal_;    // likewise, for the bounds of disk reads
    bool prepared_ = false;
};

}    // namespace caisson

#pragma once

#include "adapters/host/cgroup/control_group.hpp"

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace caisson {

/// The group of the processes that were in the one in which the servers' roots are made.
inline constexpr std::string_view cgroup_leaf = "caisson-leaf";

struct cgroup_tree_options {
    std::string instance;       // names the root group: caisson-<instance>
    bool privileged = false;    // true: at the top of each hierarchy; false: in the server's own group, if that was delegated
    std::string root;           // of v2, instead of either: from the top if it begins with /, else from the server's own group
    std::string mountinfo;      // texts of /proc/self/mountinfo and /proc/self/cgroup
    std::string self_cgroup;
    std::set<pid_t> family;    // this process with all above and below it: what it may move out of a group that it shares
};

/// Options of this process as it runs now.
cgroup_tree_options cgroup_options_of_this_process(std::string instance);

/// Where the groups of one server instance live: `<root>/<sandbox>/{agent,work,compiler}` in each hierarchy that is of use, and in those
/// of v1 that do not freeze `<root>/<sandbox>`, which is what runs in it, and `<root>/<sandbox>.compiler`.
class cgroup_tree {
public:
    cgroup_tree(std::shared_ptr<cgroup_io> io, cgroup_tree_options options);
    /// release()
    ~cgroup_tree() { release(); }
    cgroup_tree(const cgroup_tree&) = delete;
    cgroup_tree& operator=(const cgroup_tree&) = delete;

    /// Makes the root groups and finds out what they can do. In v2 processes in the group above them are moved into a leaf beside
    /// them, since the kernel hands controllers down from groups without processes only: if all are of this process's family, if
    /// that group was chosen, or if it is the top of a container. Else it is left alone and is of no use. Idempotent; call before
    /// anything else.
    void prepare();
    /// Bounds the memory of all sandboxes together. Errors: errc::runtime_unavailable; errc::conflict where they use more already: the
    /// former bound stays, since the kernel would end some of them.
    result<void> limit_memory(std::int64_t bytes);
    /// Bounds what all sandboxes together read of each of these disks. A disk that is no longer there is passed over. Errors:
    /// errc::runtime_unavailable, with the first disk that cannot be bounded; degraded() tells it then.
    result<void> limit_disk_reads(const disk_read_limits& limits, const std::vector<block_device>& devices);
    /// With v1 a limit of disk reads holds for one group, not for groups below it. All processes of sandboxes have to begin in this one.
    /// Without members where the sandboxes' own groups do.
    control_group disk_group() const { return disk_; }
    /// control_group::open_for_join() of an agent's group, and of disk_group().
    result<std::vector<unique_fd>> open_for_agent(const control_group& agent) const;
    /// What the kernel refused first, with the file; empty if all went well.
    const std::string& refusal() const { return refusal_; }

    /// The root over all hierarchies that do something; without members where no group can be made.
    const control_group& root() const { return root_; }
    bool controls(unsigned what) const { return root_.controls(what); }
    /// What cannot be limited, measured or frozen here, each with its reason and what to do.
    std::vector<degradation> degraded() const;

    /// The group of one sandbox and its agent's, limits set, ready for the other parts. Errors: errc::runtime_unavailable; remove it then.
    result<control_group> make_sandbox_group(const std::string& name, const sandbox_limits& limits);
    /// Gives the group of a sandbox other limits, before anything runs in it but its agent. Errors: errc::runtime_unavailable.
    static result<void> limit_sandbox_group(const control_group& sandbox, const sandbox_limits& limits);
    /// The server's groups in which every sandbox's agent is: control_group::part(). Without members where each has its own.
    control_group agents_group() const;
    control_group sandbox_group(const std::string& name) const { return root_.child(name); }
    /// Names of the sandboxes' groups that exist, also in hierarchies that are of no use to this server now.
    std::vector<std::string> sandbox_names() const;
    /// What exists of a sandbox's group in all hierarchies, of another server's instance too; for removing it.
    control_group left_over_group(const std::string& instance, const std::string& name) const;
    /// Names of the sandboxes' groups of another server's instance.
    std::set<std::string> group_names(const std::string& instance) const;
    /// Instances that have root groups where this server looks, the own one too.
    std::vector<std::string> instances() const;
    const std::string& instance() const { return options_.instance; }

    /// Removes the root groups if no sandbox is left in them, then the leaf if no other group needs it: its processes go back.
    /// May be called again; nothing can be made here afterwards.
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
    control_group disk_;                   // of v1, beside the root's hierarchies
    std::string unbounded_disk_;           // why reads of a disk are not bounded; empty if they are
    std::vector<std::string> tops_;        // where hierarchies are mounted
    std::vector<cgroup_member> places_;    // directories in which root groups may be, of any instance
    std::string refusal_;
    std::string disk_refusal_;    // likewise, of what bounds reads of disks
    bool prepared_ = false;
};

}    // namespace caisson

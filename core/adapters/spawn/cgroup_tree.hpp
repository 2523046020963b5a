#pragma once

#include "core/adapters/spawn/control_group.hpp"

#include <memory>
#include <string>
#include <vector>

namespace caisson {

struct cgroup_tree_options {
    std::string instance;       // names the root group: caisson-<instance>
    bool privileged = false;    // true: at the top of each hierarchy; false: in the server's own group, if that was delegated
    std::string mountinfo;      // texts of /proc/self/mountinfo and /proc/self/cgroup
    std::string self_cgroup;
};

/// Options of this process as it runs now.
cgroup_tree_options cgroup_options_of_this_process(std::string instance);

/// Where the groups of one server instance live: `<root>/<sandbox>/{agent,work/<execution>}` in each hierarchy that is of use.
class cgroup_tree {
public:
    cgroup_tree(std::shared_ptr<cgroup_io> io, cgroup_tree_options options) : io_(std::move(io)), options_(std::move(options)) { }
    /// release()
    ~cgroup_tree() { release(); }
    cgroup_tree(const cgroup_tree&) = delete;
    cgroup_tree& operator=(const cgroup_tree&) = delete;

    /// Makes the root groups and finds out what they can do. In v2 the server moves from a delegated group into a leaf of it
    /// where the kernel wants that. Idempotent; call before anything else.
    void prepare();

    /// The root over all hierarchies that do something; without members where no group can be made.
    const control_group& root() const { return root_; }
    bool controls(unsigned what) const { return root_.controls(what); }
    /// What cannot be limited, measured or frozen here, each with its reason and what to do.
    std::vector<degradation> degraded() const;

    /// The group of one sandbox, limits set, ready for children. Errors: errc::runtime_unavailable; remove it then.
    result<control_group> make_sandbox_group(const std::string& name, const sandbox_limits& limits);
    control_group sandbox_group(const std::string& name) const { return root_.child(name); }
    /// Names of the sandboxes' groups that exist.
    std::vector<std::string> sandbox_names() const;

    /// Removes the root groups if no sandbox is left in them. May be called again; nothing can be made here afterwards.
    void release() noexcept;

    const std::shared_ptr<cgroup_io>& io() const { return io_; }

private:
    bool prepare_root(const cgroup_mount& mount, cgroup_member& root);
    void enable_controllers(const std::string& base);
    int move_processes_to_leaf(const std::string& base);
    unsigned controls_of(const cgroup_member& root) const;

    std::shared_ptr<cgroup_io> io_;
    cgroup_tree_options options_;
    control_group root_;
    std::string refusal_;    // why a root could not be made, if one could not
    bool prepared_ = false;
};

}    // namespace caisson

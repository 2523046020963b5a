#include "adapters/host/cgroup/cgroup_tree.hpp"
#include "adapters/host/cgroup/kernel_text.hpp"

#include <algorithm>
#include <sstream>

/// Finding existing groups and servers, checking whose processes may be moved, and restoring the hierarchy at the end.
namespace caisson {

namespace {

constexpr std::string_view root_prefix = "caisson-";    // before the instance

/// Processes directly in `group`; 0 for those of another pid namespace.
std::vector<pid_t> pids_in(const cgroup_io& io, const std::string& group)
{
    std::vector<pid_t> found;
    const auto text = io.read(group + "/cgroup.procs").value_or("");
    for (std::string_view rest = text; !rest.empty();) {
        if (const auto pid = number_of(take_line(rest)))
            found.push_back(static_cast<pid_t>(*pid));
    }
    return found;
}

std::string without_suffix(const std::string& name)
{
    for (const auto suffix : sibling_suffixes)
        if (name.ends_with(suffix))
            return name.substr(0, name.size() - suffix.size());
    return name;
}

std::string parent_of(const std::string& directory) { return directory.substr(0, directory.rfind('/')); }

}    // namespace

cgroup_tree::cgroup_tree(std::shared_ptr<cgroup_io> io, cgroup_tree_options options) : io_(std::move(io)), options_(std::move(options))
{
    for (const auto& mount : parse_cgroup_mounts(options_.mountinfo, options_.self_cgroup)) {
        tops_.push_back(mount.path);
        std::set<std::string> directories{mount.path};
        for (const auto& directory : {mount.own_group, base_of(mount)}) {
            if (!directory.empty())
                directories.insert(directory);
        }
        for (const auto& directory : directories)
            places_.push_back({directory, mount.version, 0});
    }
}

/// If the top of a mounted hierarchy has a type, it is a container's top and not the host's: all its processes are the container's.
bool cgroup_tree::may_move_all(const std::string& base) const
{
    if (!options_.root.empty())
        return true;
    if (options_.privileged && std::ranges::find(tops_, base) != tops_.end())
        return true;
    const auto there = pids_in(*io_, base);
    return std::ranges::all_of(there, [this](pid_t pid) { return pid == 0 || options_.family.contains(pid); });
}

void cgroup_tree::release() noexcept
try {
    // Groups below stay: sandboxes outlive their server.
    for (const auto& member : root_.members()) {
        const bool gone = io_->remove_directory(member.directory) == 0;
        if (gone && member.version == cgroup_version::v2)
            dissolve_leaf(parent_of(member.directory));
    }
    for (const auto& member : disk_.members())
        io_->remove_directory(member.directory);
} catch (const std::exception&) {
    // Out of memory: empty groups remain.
}

void cgroup_tree::dissolve_leaf(const std::string& base)
{
    const auto leaf = base + "/" + std::string(cgroup_leaf);
    if (io_->directories(base) != std::vector<std::string>{std::string(cgroup_leaf)})
        return;
    std::istringstream enabled(io_->read(base + "/cgroup.subtree_control").value_or(""));
    for (std::string name; enabled >> name;)
        io_->write(base + "/cgroup.subtree_control", "-" + name);
    for (const auto pid : pids_in(*io_, leaf))
        io_->write(base + "/cgroup.procs", std::to_string(pid));
    io_->remove_directory(leaf);
}

control_group cgroup_tree::left_over_group(const std::string& instance, const std::string& name) const
{
    std::vector<cgroup_member> found;
    for (const auto& place : places_) {
        const auto directory = place.directory + "/" + std::string(root_prefix) + instance + "/" + name;
        for (const auto& each : {directory, directory + std::string(compiler_suffix), directory + std::string(programs_suffix)}) {
            if (!io_->exists(each))
                continue;
            found.push_back({each, place.version, 0});
            found.back().controls = controls_of(found.back());
        }
    }
    return {io_, std::move(found)};
}

std::set<std::string> cgroup_tree::group_names(const std::string& instance) const
{
    std::set<std::string> names;
    for (const auto& place : places_) {
        for (const auto& name : io_->directories(place.directory + "/" + std::string(root_prefix) + instance))
            names.insert(without_suffix(name));
    }
    return names;
}

std::vector<std::string> cgroup_tree::sandbox_names() const
{
    const auto names = group_names(options_.instance);
    return {names.begin(), names.end()};
}

std::vector<std::string> cgroup_tree::instances() const
{
    std::set<std::string> found;
    for (const auto& place : places_) {
        for (const auto& name : io_->directories(place.directory)) {
            if (name.starts_with(root_prefix) && name != cgroup_leaf)
                found.insert(name.substr(root_prefix.size()));
        }
    }
    return {found.begin(), found.end()};
}

}    // namespace caisson

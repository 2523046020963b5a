#pragma once

#include "adapters/host/cgroup/cgroup_directory.hpp"
#include "adapters/host/cgroup/cgroup_io.hpp"
#include "adapters/host/cgroup/cgroup_types.hpp"
#include "adapters/host/cgroup/disk_reads.hpp"
#include "adapters/host/cgroup/group_usage_files.hpp"
#include "adapters/host/cgroup/sandbox_parts.hpp"
#include "core/base/error.hpp"
#include "core/runtime/types.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace caisson {

/// One group in all hierarchies that the host's mix of cgroup v1 and v2 needs for it. A value: copies name the same group. Without members
/// it is no group: it limits, measures and kills nothing, and never fails.
class control_group {
public:
    control_group() = default;
    control_group(std::shared_ptr<cgroup_io> io, std::vector<cgroup_member> members) : io_(std::move(io)), members_(std::move(members)) { }

    control_group child(const std::string& name) const;
    /// Part `name` of a sandbox's group: sandbox_parts.hpp.
    control_group part(std::string_view name) const;
    /// part(), only in the hierarchies where that group is no other part.
    control_group own_part(std::string_view name) const;
    /// Makes `<sandbox>.programs` in flat hierarchies and limits it; call before making a part of a later program. Errors:
    /// errc::runtime_unavailable.
    result<void> make_later_programs_group(const cgroup_limits& limits) const;
    /// The existing work and compiler parts of all programs but the first, each in the hierarchies where it exists.
    std::vector<control_group> later_program_parts() const;
    /// As part(), in the hierarchies where the group exists.
    control_group existing_part(std::string_view name) const;
    /// The group for removal and kills where no siblings exist, which saves looking for them.
    control_group without_siblings() const;
    /// A sandbox's group without the flat hierarchies.
    control_group whole() const;
    const std::vector<cgroup_member>& members() const { return members_; }
    bool controls(unsigned what) const { return member_with(members_, what) != nullptr; }
    /// True if it exists in all hierarchies, or without members.
    bool exists() const
    {
        return std::ranges::all_of(members_, [this](const cgroup_member& each) { return io_->exists(each.directory); });
    }

    /// Makes the directories, or finds them. Errors: errc::runtime_unavailable; then remove what was made.
    result<void> make();
    /// Hands controllers down to children (v2). Call before limiting a child.
    result<void> enable_children();
    /// Errors: errc::runtime_unavailable with the file.
    result<void> limit(const cgroup_limits& limits);
    /// Bounds reads from one disk ("8:0") by the group, and in v2 also by its children. Errors: errc::runtime_unavailable with the file;
    /// errc::not_found if there is no such disk.
    result<void> limit_disk_reads(const disk_read_limits& limits, const std::string& device);
    /// One descriptor of cgroup.procs per hierarchy: writing "0" moves the writer in.
    result<std::vector<unique_fd>> open_for_join() const;

    group_usage usage() const { return usage_files().read(); }
    /// For repeated reads while the group exists.
    group_usage_files usage_files() const { return {io_, members_}; }
    /// Current usage. Nothing if no hierarchy counts it.
    std::optional<std::int64_t> memory_bytes_used() const;
    std::size_t population() const;
    /// Processes in the group and below it, in every hierarchy.
    std::set<pid_t> processes() const;
    /// Freezing takes time: poll frozen() afterwards. Errors: errc::not_implemented without a freezer.
    result<void> freeze();
    result<void> thaw();
    bool frozen() const;
    /// Thaws the group and each group below it, in every hierarchy with a freezer.
    void thaw_all();
    /// The file that tells whether the group has processes; null where that takes more than one read.
    std::unique_ptr<cgroup_file> population_file() const;
    /// One read of that file shows that the group and its children have no process that joined in the order of the hierarchies. False if
    /// unknown, or without a file.
    static bool is_surely_empty(const cgroup_file* population) noexcept;
    bool is_surely_empty() const noexcept;
    /// Every hierarchy shows that the group and its children have no process, or that the group does not exist. False if something cannot
    /// be read, or without members.
    bool is_known_to_be_empty() const noexcept;
    /// Sends SIGKILL to all processes in the group and below it, frozen or not. Does not wait for their end. False if one may not be
    /// killed, or without memory. If there were processes, forks in the group may now be forbidden: call limit() again.
    bool kill() noexcept;
    /// Tries once to remove the group and all below it, leaves first, and its siblings; true if nothing is left. `known`: all
    /// possible groups of the sandbox's parts, leaves first, which saves searching for them.
    bool try_remove(std::span<const control_group> known = {}) noexcept;

    boost::json::array to_json() const;
    /// Nothing if `text` is not from to_json().
    static std::optional<control_group> from_json(std::shared_ptr<cgroup_io> io, const boost::json::value& text);

private:
    std::optional<cgroup_directory> with(unsigned what) const;
    cgroup_directory in(const cgroup_member& member) const { return {*io_, member}; }
    result<void> set_frozen(bool frozen);

    std::shared_ptr<cgroup_io> io_;
    std::vector<cgroup_member> members_;
};

}    // namespace caisson

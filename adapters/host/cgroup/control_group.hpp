#pragma once

#include "adapters/host/cgroup/cgroup_io.hpp"
#include "adapters/host/cgroup/cgroup_mounts.hpp"
#include "adapters/host/cgroup/disk_reads.hpp"
#include "core/async/offload.hpp"
#include "core/async/task.hpp"
#include "core/async/timers.hpp"
#include "core/base/error.hpp"
#include "core/runtime/types.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace caisson {

/// Uses of a hierarchy: bits of an unsigned.
namespace cgroup_control {
inline constexpr unsigned memory = 1;
inline constexpr unsigned pids = 2;
inline constexpr unsigned cpu = 4;
inline constexpr unsigned cpu_usage = 8;
inline constexpr unsigned freeze = 16;
inline constexpr unsigned kill = 32;
inline constexpr unsigned swap = 64;    // of memory
inline constexpr unsigned disk_reads = 128;
inline constexpr unsigned tcp = 256;    // v1: memory of TCP sockets, limited separately
}    // namespace cgroup_control

/// A group's directory in one hierarchy.
struct cgroup_member {
    std::string directory;
    cgroup_version version = cgroup_version::v2;
    unsigned controls = 0;
    bool is_flat = false;    // v1 without freezer, if another hierarchy is not flat: control_group::part()
};

/// Parts of a sandbox's group: the agent, the first program, and its compiler. Those of program N are "work.N" and "compiler.N".
inline constexpr std::string_view agent_part = "agent";
inline constexpr std::string_view work_part = "work";
inline constexpr std::string_view compiler_part = "compiler";
/// Follows the sandbox's name where the first compiler's group is a sibling.
inline constexpr std::string_view compiler_suffix = ".compiler";
/// Follows the sandbox's name where a sibling has the parts of all programs but the first.
inline constexpr std::string_view programs_suffix = ".programs";
inline constexpr std::array sibling_suffixes{compiler_suffix, programs_suffix};

/// Limits of a group; absent ones are not set.
struct cgroup_limits {
    std::optional<std::int64_t> memory_bytes;
    std::optional<std::int64_t> tcp_bytes = {};    // v1, with memory_bytes; absent: equal to it
    std::optional<std::int64_t> pids;
    std::optional<std::int64_t> cpu_milli;
    bool group_oom = false;    // on out of memory the kernel kills the whole group (v2)
};

/// Files that tell whether a memory limit was reached.
struct memory_limit_files {
    std::string seen;           // v2: how often; v1: the peak usage
    std::string limit;          // of v1
    std::int64_t before = 0;    // v2: how often before the group was made
};

/// The files of a group's usage, kept open.
class group_usage_files {
public:
    group_usage_files() = default;
    group_usage read() const;
    /// Does not count what the sandbox's group met before, where the kernel counts it (v2; v1 has only a peak). Call once the group was
    /// made, before a process joins it.
    void ignore_earlier_events();

private:
    friend class control_group;
    std::unique_ptr<cgroup_file> cpu_time_;
    cgroup_version cpu_time_version_ = cgroup_version::v2;
    std::unique_ptr<cgroup_file> memory_peak_;
    std::unique_ptr<cgroup_file> memory_events_;
    std::unique_ptr<cgroup_file> pids_peak_;
    std::unique_ptr<cgroup_file> pids_events_;
    std::shared_ptr<cgroup_io> io_;
    std::vector<memory_limit_files> memory_limits_;
};

/// One group in all hierarchies that the host's mix of cgroup v1 and v2 needs for it. A value: copies name the same group. Without members
/// it is no group: it limits, measures and kills nothing, and never fails.
class control_group {
public:
    control_group() = default;
    control_group(std::shared_ptr<cgroup_io> io, std::vector<cgroup_member> members) : io_(std::move(io)), members_(std::move(members)) { }

    control_group child(const std::string& name) const;
    /// Part `name` of a sandbox's group. In flat hierarchies the sandbox's group is the work part, the agent is in the server's group, the
    /// compiler has the sibling "<sandbox>.compiler" and other programs are below "<sandbox>.programs", since a group counts its children.
    /// In others the work and compiler parts are children, and so is the agent, except where a group with limits may have processes and
    /// children: there the agent is in the sandbox's group itself.
    control_group part(std::string_view name) const;
    /// part(), only in the hierarchies where that group is no other part.
    control_group own_part(std::string_view name) const;
    /// Makes `<sandbox>.programs` in flat hierarchies and limits it; call before making a part of a later program. Errors:
    /// errc::runtime_unavailable.
    result<void> make_later_programs_group(const cgroup_limits& limits);
    /// The existing work and compiler parts of all programs but the first, each in the hierarchies where it exists.
    std::vector<control_group> later_program_parts() const;
    /// The group for removal and kills where no siblings exist, which saves looking for them.
    control_group without_siblings() const;
    /// A sandbox's group without the flat hierarchies.
    control_group whole() const;
    const std::vector<cgroup_member>& members() const { return members_; }
    bool controls(unsigned what) const;
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
    group_usage_files usage_files() const;
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
    const cgroup_member* with(unsigned what) const;
    std::string file(const cgroup_member& member, std::string_view v1_file, std::string_view v2_file) const;
    std::optional<std::string> read(unsigned what, std::string_view v1_file, std::string_view v2_file) const;
    std::unique_ptr<cgroup_file> open(unsigned what, std::string_view v1_file, std::string_view v2_file) const;
    result<void> write(const cgroup_member& member, const std::string& file, const std::string& text);
    result<void> limit_memory(const cgroup_limits& limits);
    result<void> limit_cpu(std::int64_t cpu_milli);
    result<void> set_frozen(bool frozen);
    std::vector<std::string> directories_of(const cgroup_member& member) const;
    std::set<pid_t> processes_of(const cgroup_member& member) const;
    bool has_all(const cgroup_member& member) const;
    bool is_known_to_be_empty(const cgroup_member& member) const;
    bool try_remove_directory(const std::string& directory);

    std::shared_ptr<cgroup_io> io_;
    std::vector<cgroup_member> members_;
};

/// Kills and removes a group and all below it. Errors: errc::timed_out if the kernel has not removed it by `deadline`.
task<result<void>> remove_group(timers& time, control_group group, steady_time deadline);
/// Likewise on `workers`, which outlive the call. `known` as in try_remove().
task<result<void>> remove_group(
    worker_pool& workers, timers& time, control_group group, std::vector<control_group> known, steady_time deadline);

}    // namespace caisson

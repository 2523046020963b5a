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
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace caisson {

/// What a hierarchy is used for. Bits of an unsigned.
namespace cgroup_control {
inline constexpr unsigned memory = 1;
inline constexpr unsigned pids = 2;
inline constexpr unsigned cpu = 4;
inline constexpr unsigned cpu_usage = 8;
inline constexpr unsigned freeze = 16;
inline constexpr unsigned kill = 32;
inline constexpr unsigned swap = 64;    // of memory
inline constexpr unsigned disk_reads = 128;
inline constexpr unsigned tcp = 256;    // with v1: memory of TCP sockets apart from the rest
}    // namespace cgroup_control

/// A group's directory in one hierarchy.
struct cgroup_member {
    std::string directory;
    cgroup_version version = cgroup_version::v2;
    unsigned controls = 0;
    bool is_flat = false;    // v1 without a freezer, where another hierarchy is not flat: control_group::part()
};

/// Parts of a sandbox's group: its agent, what its execution runs in, and what compiles that before.
inline constexpr std::string_view agent_part = "agent";
inline constexpr std::string_view work_part = "work";
inline constexpr std::string_view compiler_part = "compiler";
inline constexpr std::string_view compiler_suffix = ".compiler";    // behind the sandbox's name, where it is beside the sandbox's group

/// Limits of a group; what is absent is not set.
struct cgroup_limits {
    std::optional<std::int64_t> memory_bytes;
    std::optional<std::int64_t> tcp_bytes = {};    // with v1, beside memory_bytes; else as much again
    std::optional<std::int64_t> pids;
    std::optional<std::int64_t> cpu_milli;
    bool group_oom = false;    // the kernel kills the whole group for memory, where it can (v2)
};

/// What tells whether a limit of memory was met.
struct memory_limit_files {
    std::string seen;     // v2: how often it was; v1: the most that was in use
    std::string limit;    // of v1
};

/// What tells of a group's use, kept open.
class group_usage_files {
public:
    group_usage_files() = default;
    group_usage read() const;

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

/// One group over all hierarchies that the host's mix of cgroup v1 and v2 needs for it. A value: copying names the same
/// group. Without members it is no group: it limits, measures and kills nothing, and never fails.
class control_group {
public:
    control_group() = default;
    control_group(std::shared_ptr<cgroup_io> io, std::vector<cgroup_member> members) : io_(std::move(io)), members_(std::move(members)) { }

    control_group child(const std::string& name) const;
    /// Of a sandbox: a child, but where fewer groups serve as well that saves making them. In flat hierarchies the sandbox's own group is
    /// its work, the agent is in the server's, and the compiler's is beside the sandbox's, "<sandbox>.compiler", since a group counts what
    /// is below it. In others the agent is in the sandbox's own group, beside the rest, where one with limits may have processes and
    /// children.
    control_group part(std::string_view name) const;
    /// part() in the hierarchies where nothing else is it.
    control_group own_part(std::string_view name) const;
    /// Of a sandbox: without the flat hierarchies.
    control_group whole() const;
    const std::vector<cgroup_member>& members() const { return members_; }
    bool controls(unsigned what) const;
    /// In all hierarchies; true without members.
    bool exists() const
    {
        return std::ranges::all_of(members_, [this](const cgroup_member& each) { return io_->exists(each.directory); });
    }

    /// Makes the directories, or finds them. Errors: errc::runtime_unavailable; what was made stays, remove() it.
    result<void> make();
    /// Lets children have the controllers (v2). Needed before limits of a child.
    result<void> enable_children();
    /// Errors: errc::runtime_unavailable, naming the file.
    result<void> limit(const cgroup_limits& limits);
    /// What may be read of one disk ("8:0") by all that is in the group, and with v2 below it. Errors: errc::runtime_unavailable, naming
    /// the file; errc::not_found if there is no such disk.
    result<void> limit_disk_reads(const disk_read_limits& limits, const std::string& device);
    /// One descriptor of cgroup.procs for each hierarchy: writing "0" moves the writer in.
    result<std::vector<unique_fd>> open_for_join() const;

    group_usage usage() const { return usage_files().read(); }
    /// For whoever reads it more than once, as long as the group is there.
    group_usage_files usage_files() const;
    /// Now. Nothing if no hierarchy counts it.
    std::optional<std::int64_t> memory_bytes_used() const;
    std::size_t population() const;
    /// Of all that is in it or below, by every hierarchy.
    std::set<pid_t> processes() const;
    /// Freezing is not instant: ask frozen() afterwards. Errors: errc::not_implemented without a freezer.
    result<void> freeze();
    result<void> thaw();
    bool frozen() const;
    /// thaw() of the group and of all below it, each by itself, in every hierarchy that can freeze.
    void thaw_all();
    /// What tells whether somebody is in it; null where that takes more than one reading.
    std::unique_ptr<cgroup_file> population_file() const;
    /// By one reading of that file: no process that joined in the order of the hierarchies is in the group or below. False where that
    /// cannot be known, and without a file.
    static bool is_surely_empty(const cgroup_file* population) noexcept;
    bool is_surely_empty() const noexcept;
    /// It was read of every hierarchy that no process is in it or below, or that the group is no more. False where something cannot be
    /// read, and without members.
    bool is_known_to_be_empty() const noexcept;
    /// SIGKILL to everything in the group and below it, frozen or not. Returns before they are gone; false if this process may not do that
    /// to one of them, or has no memory for it. Where somebody was in it nobody may be able to fork in it from then on: limit() it again.
    bool kill() noexcept;
    /// One try at removing the group and all below it, leaves first, and a compiler's beside it; true when nothing is left. `known`: all
    /// groups of its sandbox's parts that there may be, leaves first, which saves looking for them.
    bool try_remove(std::span<const control_group> known = {}) noexcept;

    boost::json::array to_json() const;
    /// Nothing if `text` is not what to_json() writes.
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

/// Kills and removes a group and all below it. Errors: errc::timed_out when the kernel has not let it go by `deadline`.
task<result<void>> remove_group(timers& time, control_group group, steady_time deadline);
/// The same on `workers`, which outlive it. `known` as in try_remove().
task<result<void>> remove_group(
    worker_pool& workers, timers& time, control_group group, std::vector<control_group> known, steady_time deadline);

}    // namespace caisson

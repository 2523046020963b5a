#pragma once

#include "adapters/host/cgroup/cgroup_io.hpp"
#include "adapters/host/cgroup/cgroup_types.hpp"
#include "adapters/host/cgroup/disk_reads.hpp"
#include "core/base/error.hpp"
#include "core/base/unique_fd.hpp"

#include <sys/types.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace caisson {

/// A group in one hierarchy, of cgroup v1 or v2: knows which files that version has and what is written to them. A view: `io` and `member`
/// outlive it. Errors of all: errc::runtime_unavailable with the file.
class cgroup_directory {
public:
    cgroup_directory(cgroup_io& io, const cgroup_member& member) : io_(io), member_(member) { }

    /// The path of a file whose name depends on the version.
    std::string file(std::string_view v1_file, std::string_view v2_file) const;
    result<void> make() const;
    /// Hands its controllers down to children (v2); does nothing in v1.
    result<void> enable_children() const;
    /// An open cgroup.procs.
    result<unique_fd> open_for_join() const;

    /// `limits` has memory_bytes.
    result<void> limit_memory(const cgroup_limits& limits) const;
    result<void> limit_pids(std::int64_t pids) const;
    result<void> limit_cpu(std::int64_t cpu_milli) const;
    /// Errors: errc::not_found if there is no such disk.
    result<void> limit_disk_reads(const disk_read_limits& limits, const std::string& device) const;
    /// For the group and all groups below and beside it. Ignores refusals.
    void forbid_forks() const;

    result<void> set_frozen(bool frozen) const;
    bool is_frozen() const;
    /// Thaws the group and each group below and beside it. Ignores refusals.
    void thaw_all() const;

    /// Processes in the group, below it and beside it.
    std::set<pid_t> processes() const;
    /// True if it and the groups below and beside it have no process, or do not exist. False if something cannot be read.
    bool is_known_to_be_empty() const;
    /// Has the kernel kill all processes of the group (cgroup.kill).
    result<void> kill() const;
    /// Tries once to remove the group and all below it, leaves first; true if nothing is left.
    bool try_remove() const;
    /// Likewise its siblings, if it is flat.
    bool try_remove_siblings() const;

private:
    result<void> write(const std::string& file, const std::string& text) const;
    std::vector<std::string> directories() const;
    bool is_v1() const { return member_.version == cgroup_version::v1; }
    bool has(unsigned control) const { return (member_.controls & control) != 0; }

    cgroup_io& io_;
    const cgroup_member& member_;
};

}    // namespace caisson

#pragma once

#include "adapters/host/cgroup/cgroup_io.hpp"
#include "adapters/host/cgroup/cgroup_types.hpp"
#include "core/runtime/types.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace caisson {

/// The files of a group's usage, kept open for repeated reads while the group exists.
class group_usage_files {
public:
    /// Measures nothing.
    group_usage_files() = default;
    /// Opens the files of the group whose directories are `members`: each measure in the first hierarchy that has it.
    group_usage_files(std::shared_ptr<cgroup_io> io, std::span<const cgroup_member> members);

    group_usage read() const;
    /// Does not count what the sandbox's group met before, where the kernel counts it (v2; v1 has only a peak). Call once the group was
    /// made, before a process joins it.
    void ignore_earlier_events();

private:
    /// Files that tell whether a memory limit was reached.
    struct memory_limit_files {
        std::string seen;           // v2: how often; v1: the peak usage
        std::string limit;          // of v1
        std::int64_t before = 0;    // v2: how often before the group was made
    };

    static std::vector<memory_limit_files> memory_limits_of(const cgroup_member& member);
    static bool limit_was_met(const cgroup_io& io, const memory_limit_files& files);

    std::shared_ptr<cgroup_io> io_;
    std::unique_ptr<cgroup_file> cpu_time_;
    cgroup_version cpu_time_version_ = cgroup_version::v2;
    std::unique_ptr<cgroup_file> memory_peak_;
    std::unique_ptr<cgroup_file> memory_events_;
    std::unique_ptr<cgroup_file> pids_peak_;
    std::unique_ptr<cgroup_file> pids_events_;
    std::vector<memory_limit_files> memory_limits_;
};

}    // namespace caisson

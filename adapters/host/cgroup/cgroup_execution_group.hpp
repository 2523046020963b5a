#pragma once

#include "adapters/host/cgroup/control_group.hpp"
#include "core/runtime/ports.hpp"

#include <memory>

namespace caisson {

/// The group of one program of a sandbox, or of its compiler. Without members it is no group.
class cgroup_execution_group : public execution_group {
public:
    /// Makes the group, or finds it. `time` outlives it. Errors: errc::runtime_unavailable.
    static result<std::unique_ptr<execution_group>> open(timers& time, control_group group, const cgroup_limits& limits);

    /// Changes the limits given to open(). Errors: errc::runtime_unavailable.
    result<void> limit(const cgroup_limits& limits) { return group_.limit(limits); }

    /// As group_usage_files::ignore_earlier_events().
    void ignore_earlier_events() { usage_.ignore_earlier_events(); }

    /// False if it has been removed.
    bool exists() const { return group_.exists(); }
    std::vector<int> join_descriptors() const override;
    group_usage usage() const override { return usage_.read(); }
    void kill() noexcept override;
    bool is_surely_empty() const noexcept override { return control_group::is_surely_empty(population_.get()); }
    std::size_t population() const override { return group_.population(); }
    task<result<void>> remove() override;

private:
    cgroup_execution_group(timers& time, control_group group, std::vector<unique_fd> joins)
        : time_(time)
        , group_(std::move(group))
        , usage_(group_.usage_files())
        , population_(group_.population_file())
        , joins_(std::move(joins))
    {
    }

    timers& time_;
    control_group group_;
    group_usage_files usage_;
    std::unique_ptr<cgroup_file> population_;
    std::vector<unique_fd> joins_;
};

}    // namespace caisson

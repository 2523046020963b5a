#include "adapters/host/cgroup/cgroup_execution_group.hpp"

#include "adapters/host/cgroup/group_removal.hpp"

namespace caisson {

using namespace std::chrono_literals;

result<std::unique_ptr<execution_group>> cgroup_execution_group::open(timers& time, control_group group, const cgroup_limits& limits)
{
    auto made = group.make();
    if (!made.has_error())
        made = group.limit(limits);
    if (made.has_error()) {
        group.try_remove();
        return made.error();
    }
    auto joins = group.open_for_join();
    if (joins.has_error()) {
        group.try_remove();
        return joins.error();
    }
    return std::unique_ptr<execution_group>(new cgroup_execution_group(time, std::move(group), std::move(*joins)));
}

std::vector<int> cgroup_execution_group::join_descriptors() const
{
    std::vector<int> descriptors;
    for (const auto& fd : joins_)
        descriptors.push_back(fd.get());
    return descriptors;
}

void cgroup_execution_group::kill() noexcept
{
    if (!is_surely_empty())
        group_.kill();
}

task<result<void>> cgroup_execution_group::remove()
{
    joins_.clear();
    usage_ = {};
    population_.reset();
    return remove_group(time_, group_, time_.steady_now() + 5s);
}

}    // namespace caisson

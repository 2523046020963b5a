#include "adapters/host/sandbox_groups.hpp"

#include "adapters/host/cgroup/cgroup_execution_group.hpp"
#include "adapters/host/cgroup/cgroup_tree.hpp"
#include "adapters/host/cgroup/group_removal.hpp"

#include <algorithm>
#include <iterator>

namespace caisson {

namespace {

std::string part_of(const group_name& name)
{
    const auto kind = std::string(name.use == group_use::compiler ? compiler_part : work_part);
    return name.program == 1 ? kind : kind + "." + std::to_string(name.program);
}

}    // namespace

/// The groups of the sandbox's parts, without the sandbox's own group. Empty if later programs may have groups: try_remove() then searches.
std::vector<control_group> sandbox_groups::known() const
{
    if (may_have_later_programs_)
        return {};
    std::vector<control_group> known{own().own_part(work_part), own().own_part(agent_part)};
    if (may_have_compiler_)
        known.push_back(own().part(compiler_part));
    return known;
}

std::vector<control_group> sandbox_groups::of_programs() const
{
    std::vector<control_group> found{own().existing_part(work_part)};
    if (may_have_compiler_)
        found.push_back(own().existing_part(compiler_part));
    if (may_have_later_programs_)
        std::ranges::move(own().later_program_parts(), std::back_inserter(found));
    // A group that was made or removed in part has no freezer: nothing runs in it.
    std::erase_if(found, [](const control_group& each) { return !each.controls(cgroup_control::freeze); });
    return found;
}

group_limits sandbox_groups::whole() const
{
    const auto& limits = record_.get().limits;
    return {limits.memory_bytes, limits.cpu_milli, limits.pids};
}

/// Caps `limits` at the sandbox's own.
cgroup_limits sandbox_groups::within_whole(const group_limits& limits) const
{
    const auto& whole = record_.get().limits;
    return {.memory_bytes = std::min(limits.memory_bytes, whole.memory_bytes) + whole.disk_bytes,
        .pids = std::min(limits.pids, whole.pids),
        .cpu_milli = std::min(limits.cpu_milli, whole.cpu_milli),
        .group_oom = true};
}

void sandbox_groups::wish(group_limits limits)
{
    wished_ = limits;
    if (ahead_)
        made_at_start_ = take_ahead(limits);
}

void sandbox_groups::make_wished()
{
    if (!wished_ || made_at_start_)
        return;
    try {
        made_at_start_ = open(first_program_group, *wished_);
    } catch (const std::exception&) {
        made_at_start_.reset();    // open() tries again
    }
}

result<void> sandbox_groups::make_ahead()
{
    auto made = open(first_program_group, whole());
    if (made.has_error())
        return made.error();
    ahead_ = std::move(*made);
    return {};
}

bool sandbox_groups::is_ahead_intact() const
{
    return static_cast<const cgroup_execution_group&>(*ahead_).exists() && own().own_part(agent_part).exists();
}

result<std::unique_ptr<execution_group>> sandbox_groups::take_ahead(const group_limits& limits)
{
    if (limits != whole()) {
        const auto done = static_cast<cgroup_execution_group&>(*ahead_).limit(within_whole(limits));
        if (done.has_error())
            return done.error();
    }
    return std::move(ahead_);
}

result<std::unique_ptr<execution_group>> sandbox_groups::open(group_name name, group_limits limits)
{
    const bool is_first = name == first_program_group;
    if (is_first && made_at_start_)
        return *std::exchange(made_at_start_, std::nullopt);
    if (is_first && ahead_)
        return take_ahead(limits);
    if (const auto made = make_place(name); made.has_error())
        return made.error();
    auto part = own().part(part_of(name));
    const bool is_new = name.program != 1 && !part.exists();    // found again, it may have met something itself
    auto opened = cgroup_execution_group::open(time_, part, within_whole(limits));
    if (opened.has_error())
        return opened;
    if (is_new)
        static_cast<cgroup_execution_group&>(**opened).ignore_earlier_events();
    if (auto frozen = makes_frozen() ? part.freeze() : result<void>(); frozen.has_error())
        return frozen.error();
    return opened;
}

/// An earlier server may have paused the sandbox.
bool sandbox_groups::makes_frozen()
{
    if (!makes_frozen_)
        makes_frozen_ = std::ranges::any_of(of_programs(), &control_group::frozen);
    return *makes_frozen_;
}

/// Makes the group in which a later program's groups are made, and notes which groups may exist from now on.
result<void> sandbox_groups::make_place(group_name name)
{
    if (name.program == 1) {
        may_have_compiler_ = may_have_compiler_ || name.use == group_use::compiler;
        return {};
    }
    may_have_later_programs_ = true;    // also if it is made in part
    return own().make_later_programs_group(within_whole(whole()));
}

result<void> sandbox_groups::limit(const sandbox_limits& limits, execution_group& made)
{
    if (limits == record_.get().limits)
        return {};
    record_.set_limits(limits);
    auto done = cgroup_tree::limit_sandbox_group(own(), limits);
    if (!done.has_error())
        done = static_cast<cgroup_execution_group&>(made).limit(within_whole(whole()));
    return done;
}

void sandbox_groups::drop_unused()
{
    ahead_.reset();
    made_at_start_.reset();
}

void sandbox_groups::kill()
{
    if (own().is_surely_empty())
        return;
    const bool has_siblings = may_have_compiler_ || may_have_later_programs_;
    auto all = has_siblings ? own() : own().without_siblings();
    all.kill();
}

task<result<void>> sandbox_groups::remove(worker_pool& workers, steady_time deadline) const
{
    return remove_group(workers, time_, own(), known(), deadline);
}

}    // namespace caisson

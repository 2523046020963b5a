#include "adapters/host/local_sandbox.hpp"

#include "adapters/host/cgroup/cgroup_execution_group.hpp"

/// The control groups of a sandbox: creation, limits and freezing.
namespace caisson {

using namespace std::chrono_literals;

namespace {

std::string part_of(const group_name& name)
{
    const auto kind = std::string(name.use == group_use::compiler ? compiler_part : work_part);
    return name.program == 1 ? kind : kind + "." + std::to_string(name.program);
}

}    // namespace

/// The groups of the sandbox's parts, without the sandbox's own group. Empty if later programs may have groups: try_remove() then searches.
std::vector<control_group> local_sandbox::known_groups() const
{
    if (may_have_later_programs_)
        return {};
    std::vector<control_group> known{record_.group.own_part(work_part), record_.group.own_part(agent_part)};
    if (may_have_compiler_)
        known.push_back(record_.group.part(compiler_part));
    return known;
}

/// Existing groups in which programs may run.
std::vector<control_group> local_sandbox::freezable() const
{
    std::vector<control_group> found;
    if (auto work = record_.group.part(work_part); work.exists())
        found.push_back(std::move(work));
    if (auto compiler = record_.group.part(compiler_part); may_have_compiler_ && compiler.exists())
        found.push_back(std::move(compiler));
    if (may_have_later_programs_)
        for (auto& each : record_.group.later_program_parts())
            if (each.controls(cgroup_control::freeze))    // else it was made or removed in part: nothing runs in it
                found.push_back(std::move(each));
    return found;
}

/// Caps `limits` at the sandbox's own.
cgroup_limits local_sandbox::within_whole(const group_limits& limits) const
{
    const auto& whole = record_.limits;
    return {.memory_bytes = std::min(limits.memory_bytes, whole.memory_bytes) + whole.disk_bytes,
        .pids = std::min(limits.pids, whole.pids),
        .cpu_milli = std::min(limits.cpu_milli, whole.cpu_milli),
        .group_oom = true};
}

void local_sandbox::make_group_at_start(group_limits limits)
{
    wished_ = limits;
    if (ahead_)
        made_at_start_ = take_group_ahead(limits);
}

void local_sandbox::make_wished_group()
{
    if (!wished_ || made_at_start_)
        return;
    try {
        made_at_start_ = open_group(first_program, *wished_);
    } catch (const std::exception&) {
        made_at_start_.reset();    // open_group() tries again
    }
}

result<void> local_sandbox::make_group_ahead()
{
    const auto& whole = record_.limits;
    auto made = open_group(first_program, {whole.memory_bytes, whole.cpu_milli, whole.pids});
    if (made.has_error())
        return made.error();
    ahead_ = std::move(*made);
    return {};
}

result<std::unique_ptr<execution_group>> local_sandbox::take_group_ahead(const group_limits& limits)
{
    const auto& whole = record_.limits;
    if (limits != group_limits{whole.memory_bytes, whole.cpu_milli, whole.pids}) {
        const auto done = static_cast<cgroup_execution_group&>(*ahead_).limit(within_whole(limits));
        if (done.has_error())
            return done.error();
    }
    return std::move(ahead_);
}

result<std::unique_ptr<execution_group>> local_sandbox::open_group(group_name name, group_limits limits)
{
    const bool is_first = name == first_program;
    if (is_first && made_at_start_)
        return *std::exchange(made_at_start_, std::nullopt);
    if (is_first && ahead_)
        return take_group_ahead(limits);
    const bool is_later = name.program != 1;
    if (is_later) {
        may_have_later_programs_ = true;    // also if it is made in part
        const auto& whole = record_.limits;
        auto made = record_.group.make_later_programs_group(within_whole({whole.memory_bytes, whole.cpu_milli, whole.pids}));
        if (made.has_error())
            return made.error();
    } else {
        may_have_compiler_ = may_have_compiler_ || name.use == group_use::compiler;
    }
    auto part = record_.group.part(part_of(name));
    const bool is_new = is_later && !part.exists();    // found again, it may have met something itself
    auto opened = cgroup_execution_group::open(services_.time, part, within_whole(limits));
    if (opened.has_error())
        return opened;
    if (is_new)
        static_cast<cgroup_execution_group&>(**opened).ignore_earlier_events();
    if (auto frozen = is_paused_ ? part.freeze() : result<void>(); frozen.has_error())
        return frozen.error();
    return opened;
}

result<void> local_sandbox::limit_again(const sandbox_limits& limits, cgroup_execution_group& made)
{
    record_.limits = limits;
    auto done = cgroup_tree::limit_sandbox_group(record_.group, limits);
    if (!done.has_error())
        done = made.limit(within_whole({limits.memory_bytes, limits.cpu_milli, limits.pids}));
    return done;
}

namespace {

task<bool> poll_frozen(timers* time, control_group group, steady_time deadline)
{
    while (!group.frozen()) {
        if (time->steady_now() >= deadline)
            co_return false;
        co_await time->wait_for(1ms);
    }
    co_return true;
}

}    // namespace

task<result<void>> local_sandbox::pause()
{
    if (!can_freeze())
        co_return error{errc::not_implemented, "this host has no freezer that the server may use"};
    may_be_frozen_ = is_paused_ = true;
    auto groups = freezable();
    const auto until = services_.time.steady_now() + 2s;
    result<void> done;
    for (auto& each : groups)
        if (!done.has_error())
            done = each.freeze();
    for (const auto& each : groups) {
        if (done.has_error())
            break;
        auto freezing = poll_frozen(&services_.time, each, until);
        const bool stands = co_await std::move(freezing);
        if (!stands)
            done = error{errc::timed_out, "the kernel did not freeze the sandbox in time"};
    }
    if (done.has_error()) {
        is_paused_ = false;
        for (auto& each : groups)
            (void)each.thaw();
    }
    co_return done;
}

task<result<void>> local_sandbox::resume()
{
    if (!can_freeze())
        co_return error{errc::not_implemented, "this host has no freezer that the server may use"};
    is_paused_ = false;
    result<void> done;
    for (auto& each : freezable())
        if (auto thawed = each.thaw(); thawed.has_error())
            done = thawed;
    co_return done;
}

}    // namespace caisson

#include "adapters/host/local_sandbox.hpp"

#include "adapters/host/cgroup/cgroup_execution_group.hpp"

/// The control groups of a sandbox: creation, limits and freezing.
namespace caisson {

using namespace std::chrono_literals;

namespace {

std::string part_of(const group_name& name)
{
    const auto kind = std::string(name.of_compiler ? compiler_part : work_part);
    return name.program == 1 ? kind : kind + "." + std::to_string(name.program);
}

}    // namespace

/// The groups of the sandbox's parts, without the sandbox's own group. Empty if there may be groups of more programs, which are searched.
std::vector<control_group> local_sandbox::known_groups() const
{
    if (may_have_more_)
        return {};
    std::vector<control_group> known{record_.group.own_part(work_part), record_.group.own_part(agent_part)};
    if (may_have_compiler_)
        known.push_back(record_.group.part(compiler_part));
    return known;
}

/// Groups in which programs may run.
std::vector<control_group> local_sandbox::freezable() const
{
    std::vector<control_group> found{record_.group.part(work_part)};
    if (auto compiler = record_.group.part(compiler_part); may_have_compiler_ && compiler.exists())
        found.push_back(std::move(compiler));
    if (may_have_more_)
        for (auto& each : record_.group.parts_of_more_programs())
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
        made_at_start_ = open_group({}, *wished_);
    } catch (const std::exception&) {
        made_at_start_.reset();    // open_group() tries again
    }
}

result<void> local_sandbox::make_group_ahead()
{
    const auto& whole = record_.limits;
    auto made = open_group({}, {whole.memory_bytes, whole.cpu_milli, whole.pids});
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
    const bool is_first = name == group_name{};
    if (is_first && made_at_start_)
        return *std::exchange(made_at_start_, std::nullopt);
    if (is_first && ahead_)
        return take_group_ahead(limits);
    if (name.program == 1) {
        may_have_compiler_ = may_have_compiler_ || name.of_compiler;
    } else {
        may_have_more_ = true;
        auto made = record_.group.make_room_for_more_programs();
        if (made.has_error())
            return made.error();
    }
    return cgroup_execution_group::open(services_.time, record_.group.part(part_of(name)), within_whole(limits));
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
    may_be_frozen_ = true;
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
    if (done.has_error())
        for (auto& each : groups)
            (void)each.thaw();
    co_return done;
}

task<result<void>> local_sandbox::resume()
{
    result<void> done;
    for (auto& each : freezable())
        if (auto thawed = each.thaw(); thawed.has_error())
            done = thawed;
    co_return done;
}

}    // namespace caisson

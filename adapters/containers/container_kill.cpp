#include "adapters/containers/container_kill.hpp"

#include "adapters/containers/container_cgroup.hpp"
#include "adapters/engine/containers.hpp"

#include <algorithm>

namespace caisson::docker {

namespace {

using namespace std::chrono_literals;

constexpr auto answer_within = 5s;

}    // namespace

task<bool> end_from_here(engine* on, std::string id, control_group group, steady_time until)
{
    containers all(*on);
    const auto soon = [on, until] { return std::min(until, on->time().steady_now() + answer_within); };
    bool is_killed = group.kill();    // at once
    const auto found = co_await all.inspect(id, soon());
    if (found.has_error())
        co_return found.error().code == errc::not_found;
    if (group.members().empty() && on->local()) {
        group = cgroup_of(std::make_shared<system_cgroup_io>(), found->pid, found->id);
        is_killed = group.kill();
    }
    if (found->state == container_state::paused)    // a frozen container handles no signal
        static_cast<void>(co_await all.unpause(id, soon()));
    if (group.members().empty() || !is_killed)
        co_return false;
    const auto noticed = co_await all.wait_for_end(id, until);
    co_return noticed.has_value() || noticed.error().code == errc::not_found;
}

}    // namespace caisson::docker

#include "adapters/host/cgroup/group_removal.hpp"

#include <algorithm>
#include <functional>

namespace caisson {

using namespace std::chrono_literals;

namespace {

bool remove_or_kill(control_group& group, std::span<const control_group> known)
{
    const bool gone = group.try_remove(known);
    if (!gone)
        group.kill();
    return gone;
}

task<bool> remove_here(control_group group) { co_return remove_or_kill(group, {}); }

task<bool> remove_on(worker_pool* workers, control_group group, std::vector<control_group> known)
{
    auto work = [group = std::move(group), known = std::move(known)]() mutable { return remove_or_kill(group, known); };
    co_return co_await offload(*workers, std::move(work));
}

task<result<void>> insist_on(timers* time, std::function<task<bool>()> removal, steady_time deadline)
{
    constexpr int fewest_tries = 3;    // the first may have waited for a worker, and it only starts the kill
    auto pause = 1ms;
    for (int tries = 1;; ++tries, pause = std::min(pause * 2, 50ms)) {
        const bool gone = co_await removal();
        if (gone)
            co_return result<void>();
        if (time->steady_now() >= deadline && tries >= fewest_tries)
            co_return error{errc::timed_out, "the kernel has not let a cgroup go"};
        co_await time->wait_for(pause);
    }
}

}    // namespace

task<result<void>> remove_group(timers& time, control_group group, steady_time deadline)
{
    return insist_on(&time, [group = std::move(group)] { return remove_here(group); }, deadline);
}

task<result<void>> remove_group(
    worker_pool& workers, timers& time, control_group group, std::vector<control_group> known, steady_time deadline)
{
    auto removal = [&workers, group = std::move(group), known = std::move(known)] { return remove_on(&workers, group, known); };
    return insist_on(&time, std::move(removal), deadline);
}

}    // namespace caisson

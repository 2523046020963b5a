#include "adapters/host/sandbox_freezer.hpp"

namespace caisson {

namespace {

using namespace std::chrono_literals;

error no_freezer() { return {errc::not_implemented, "this host has no freezer that the server may use"}; }

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

task<result<void>> sandbox_freezer::freeze()
{
    if (!groups_.can_freeze())
        co_return no_freezer();
    may_be_frozen_ = true;
    groups_.make_frozen(true);
    auto groups = groups_.of_programs();
    const auto until = time_.steady_now() + 2s;
    result<void> done;
    for (auto& each : groups)
        if (!done.has_error())
            done = each.freeze();
    for (const auto& each : groups) {
        if (done.has_error())
            break;
        auto freezing = poll_frozen(&time_, each, until);
        const bool stands = co_await std::move(freezing);
        if (!stands)
            done = error{errc::timed_out, "the kernel did not freeze the sandbox in time"};
    }
    if (done.has_error()) {
        groups_.make_frozen(false);
        for (auto& each : groups_.of_programs())    // also those that were made meanwhile
            (void)each.thaw();
    }
    co_return done;
}

task<result<void>> sandbox_freezer::thaw()
{
    if (!groups_.can_freeze())
        co_return no_freezer();
    groups_.make_frozen(false);
    result<void> done;
    for (auto& each : groups_.of_programs())
        if (auto thawed = each.thaw(); thawed.has_error())
            done = thawed;
    co_return done;
}

void sandbox_freezer::thaw_for_kill()
{
    groups_.make_frozen(false);
    if (!may_be_frozen_)
        return;
    for (auto& each : groups_.of_programs())
        (void)each.thaw();
}

}    // namespace caisson

#include "tests/core/exec/service_world.hpp"

namespace caisson {
namespace {

using call = testing::fake_runtime::call;

const error not_let_go{errc::timed_out, "the kernel has not let a cgroup go"};
const error broken_disk{errc::internal, "disk is broken"};

TEST(SweepInService, ASandboxWhoseRemovalFailedGoesAtTheNextStart)
{
    service_world w;
    const auto id = w.run();
    w.runtime.fail_next(call::destroy, not_let_go);
    w.agent().exit(0);
    w.ended(id);
    EXPECT_EQ(w.runtime.live(), 1U);
    w.restart();
    EXPECT_EQ(w.runtime.live(), 0U);
    EXPECT_EQ(w.sandboxes.row(*w.row(id).sandbox).state, sandbox_state::destroyed);
}

TEST(SweepInService, OneThatEndsInItsLogButNotInItsRecordIsRemovedOnce)
{
    service_world w;
    const auto id = w.run();
    w.executions.fail_next(broken_disk);
    w.agent().exit(0);
    w.turn();
    w.kill_server();
    w.executions.heal();
    EXPECT_TRUE(w.start_server().has_value());
    EXPECT_EQ(w.ended(id).status, execution_status::success);
    EXPECT_EQ(w.runtime.live(), 0U);
    EXPECT_TRUE(w.get(w.sandboxes.alive())->empty());
    EXPECT_EQ(w.service().sweeps().failing, 0U);
}

}    // namespace
}    // namespace caisson

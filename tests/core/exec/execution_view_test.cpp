#include "tests/core/exec/service_world.hpp"

namespace caisson {
namespace {

using namespace std::chrono_literals;
using status = execution_status;

TEST(ExecutionView, FollowsToTheExit)
{
    service_world w;
    const auto id = w.run();
    w.begin_log();
    const auto viewer = w.view(id);
    EXPECT_EQ(w.read_now(*viewer), "[queued][running]");
    const auto next = w.begin(viewer->next(1 << 20, true));
    EXPECT_FALSE(next->done());
    w.agent().print("live");
    w.turn();
    EXPECT_EQ(w.text_of(*next->value), "1:live");
    w.agent().exit(0);
    w.ended(id);
    EXPECT_EQ(w.read_now(*viewer), "[usage][exit]");
    EXPECT_EQ(w.text_of(w.get(viewer->next(1 << 20, true))), "");    // the end
}

TEST(ExecutionView, LateAndResumedViewersSeeTheSame)
{
    service_world w;
    const auto id = w.run();
    w.begin_log();
    w.agent().print("hello");
    w.turn();
    EXPECT_EQ(w.read_now(*w.view(id, {2, 3, 0})), "1:lo");
    w.agent().exit(0);
    w.ended(id);
    EXPECT_EQ(w.read_now(*w.view(id)), "[queued][running]1:hello[usage][exit]");
    EXPECT_EQ(w.read_now(*w.view(id, {2, 3, 0})), "1:lo[usage][exit]");
    EXPECT_EQ(w.read_now(*w.view(id, {4, 5, 0})), "");
}

/// However the two stores delay the end: a viewer who sees the exit finds the record final.
TEST(ExecutionView, TheExitIsSeenAfterTheRecordIsFinal)
{
    service_world w;
    const auto id = w.run();
    w.begin_log();
    const auto live = w.view(id);
    const auto waiter = w.begin(w.service().wait(w.tenant, id, w.time().steady_now() + 1h));
    w.events.cork();
    w.agent().exit(0);
    w.turn();
    EXPECT_EQ(w.read_now(*live), "[queued][running]");
    w.executions.fail_next({errc::internal, "disk is broken"});
    w.events.uncork();
    w.turn();
    EXPECT_EQ(w.stored(id), "[queued][running][usage][exit]");
    EXPECT_EQ(w.read_now(*live), "[usage]");
    EXPECT_EQ(w.read_now(*w.view(id, {})), "[queued][running][usage]");
    EXPECT_FALSE(waiter->done());
    EXPECT_EQ(w.find(id)->status, status::running);
    w.ended(id);
    EXPECT_EQ(w.read_now(*live), "[exit]");
    EXPECT_EQ(waiter->value->value().status, status::success);
}

/// Who opened a log while it was live and reads it when memory has only its end.
TEST(ExecutionView, ASlowViewerGetsAllFromTheStore)
{
    service_world::options small;
    small.logs.ring_bytes = 600;
    service_world w(small);
    const auto id = w.run();
    const auto slow = w.view(id);
    std::string all;
    for (int i = 0; i < 50; ++i) {
        all += std::to_string(i) + " ";
        w.agent().print(std::to_string(i) + " ");
        w.turn();
    }
    w.agent().exit(0);
    w.ended(id);
    EXPECT_EQ(w.read_now(*slow), "[queued][running]1:" + all + "[usage][exit]");
}

TEST(ExecutionWait, EndsWithTheExecution)
{
    service_world w;
    const auto id = w.run();
    const auto waiter = w.begin(w.service().wait(w.tenant, id, w.time().steady_now() + 1h));
    w.advance(5s, 100ms);
    EXPECT_FALSE(waiter->done());
    w.agent().exit(4);
    w.turn();
    ASSERT_TRUE(waiter->done());
    EXPECT_EQ(waiter->value->value().exit_code, 4);
    EXPECT_EQ(w.get(w.service().wait(w.tenant, id, w.time().steady_now() + 1h))->exit_code, 4);
}

TEST(ExecutionWait, EndsAtItsDeadline)
{
    service_world w;
    const auto id = w.run();
    const auto waiter = w.begin(w.service().wait(w.tenant, id, w.time().steady_now() + 2s));
    w.advance(1'990ms);
    EXPECT_FALSE(waiter->done());
    w.advance(10ms);
    ASSERT_TRUE(waiter->done());
    EXPECT_EQ(waiter->value->value().status, status::running);
    EXPECT_EQ(w.get(w.service().wait(w.tenant, id, w.time().steady_now()))->status, status::running);
}

TEST(ExecutionWait, EndsWhenTheServerStops)
{
    service_world w({.max_running = 1});
    const auto running = w.run();
    const auto queued = w.submit();
    const auto first = w.begin(w.service().wait(w.tenant, running, w.time().steady_now() + 1h));
    const auto second = w.begin(w.service().wait(w.tenant, queued, w.time().steady_now() + 1h));
    w.service().stop_accepting();
    w.turn();
    EXPECT_EQ(first->value->value().status, status::running);
    EXPECT_EQ(second->value->value().status, status::queued);
    EXPECT_EQ(w.try_submit().error().code, errc::runtime_unavailable);
}

TEST(ExecutionWait, AWriterToStdinIsReleasedWhenTheServerStops)
{
    service_world w;
    auto spec = w.program();
    spec.stdin_open = true;
    const auto id = w.run(spec);
    w.agent().stop_reading();
    const auto writer = w.begin(w.service().write_stdin(w.tenant, id, {std::string(2 << 20, 'x'), {}, false}, w.time().steady_now() + 1h));
    EXPECT_FALSE(writer->done());
    w.service().stop_accepting();
    w.turn();
    EXPECT_TRUE(writer->done());
}

}    // namespace
}    // namespace caisson

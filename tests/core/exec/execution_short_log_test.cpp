#include "tests/core/exec/service_world.hpp"

/// Executions whose whole log is stored with the record of their end.
namespace caisson {
namespace {

using namespace std::chrono_literals;
using stream = protocol::stream_number;

TEST(ExecutionShortLog, TheLogOfAShortRunIsStoredWithItsRecord)
{
    service_world w;
    const auto id = w.run();
    w.events.cork();
    w.agent().print("short");
    w.agent().exit(0);
    EXPECT_EQ(w.ended(id).status, execution_status::success);
    EXPECT_EQ(w.stored(id), "[queued][running]1:short[usage][exit]");
    EXPECT_EQ(w.events.appends() + w.events.held(), 0u);
    EXPECT_EQ(w.read_now(*w.view(id)), w.stored(id));
}

TEST(ExecutionShortLog, UntilThatRecordIsStoredTheAgentHasAll)
{
    service_world w;
    const auto id = w.run();
    w.agent().print("short");
    w.agent().exit(3);
    for (int i = 0; i < 100; ++i)
        w.executions.fail_next({errc::internal, "disk is broken"});
    w.advance(1s);
    EXPECT_FALSE(w.has_ended(id));
    EXPECT_EQ(w.stored(id), "");
    EXPECT_EQ(w.agent().forgets, 0u);
    EXPECT_EQ(w.agent().acknowledged(stream::stdout_stream), 0u);
    w.kill_server();
    w.executions.heal();
    EXPECT_TRUE(w.start_server().has_value());
    EXPECT_EQ(w.ended(id).exit_code, 3);
    EXPECT_EQ(w.stored(id), "[queued][running]1:short[usage][exit]");
    EXPECT_EQ(w.agent().spawns, 1u);
}

}    // namespace
}    // namespace caisson

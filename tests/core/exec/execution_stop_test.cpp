#include "tests/core/exec/service_world.hpp"

#include <csignal>
#include <vector>

namespace caisson {
namespace {

using namespace std::chrono_literals;
using call = testing::fake_runtime::call;
using status = execution_status;

TEST(ExecutionHandOver, WaitsForNothingMoreOfOneWhoseSandboxIsBeingRemoved)
{
    service_world w;
    const auto id = w.run();
    w.runtime.gate_of(call::destroy).cork();
    w.agent().exit(0);
    EXPECT_EQ(w.ended(id).status, status::success);
    w.hand_over(100ms);    // which looks for what is still waited for
    w.runtime.gate_of(call::destroy).uncork();
    EXPECT_TRUE(w.start_server().has_value());
    EXPECT_TRUE(w.advance_until([&] { return w.box().destroyed; })) << "by the next server's sweep";
}

TEST(ExecutionHandOver, WaitsForOneThatStarts)
{
    service_world w;
    w.runtime.gate_of(call::create).cork();
    const auto id = w.submit();
    const auto over = w.begin(w.service().hand_over(w.time().steady_now() + 10s));
    w.advance(1s);
    EXPECT_FALSE(over->done());
    w.runtime.gate_of(call::create).uncork();
    EXPECT_TRUE(w.advance_until([&] { return over->done(); }));
    w.kill_server();
    EXPECT_TRUE(w.start_server().has_value());
    w.agent().exit(0);
    EXPECT_EQ(w.ended(id).status, status::success);
    EXPECT_EQ(w.runtime.created(), 1u);
    EXPECT_EQ(w.agent().spawns, 1u);
}

TEST(ExecutionHandOver, WaitsForAnEndToBeRecorded)
{
    service_world w;
    const auto id = w.run();
    w.begin_log();
    w.events.cork();
    w.agent().exit(0);
    w.turn();
    const auto over = w.begin(w.service().hand_over(w.time().steady_now() + 10s));
    w.advance(1s);
    EXPECT_FALSE(over->done());
    w.events.uncork();
    EXPECT_TRUE(w.advance_until([&] { return over->done(); }));
    EXPECT_EQ(w.row(id).status, status::success);
    EXPECT_EQ(w.runtime.live(), 0u);
}

TEST(ExecutionHandOver, StoresWhatWasHeard)
{
    service_world w;
    const auto id = w.run();
    w.begin_log();
    w.events.fail_next({errc::internal, "disk is broken"});
    w.agent().print("heard");
    w.turn();
    EXPECT_EQ(w.stored(id), "[queued][running]");
    w.hand_over();
    EXPECT_EQ(w.stored(id), "[queued][running]1:heard");
}

TEST(ExecutionHandOver, WhatCannotBeStoredStaysWithTheAgent)
{
    service_world w;
    const auto id = w.run();
    for (int i = 0; i < 100; ++i)
        w.events.fail_next({errc::internal, "disk is broken"});
    w.agent().print("unstored");
    w.turn();
    w.hand_over(2s);
    w.events.heal();
    EXPECT_TRUE(w.start_server().has_value());
    w.agent().exit(0);
    w.ended(id);
    EXPECT_EQ(w.stored(id), "[queued][running]1:unstored[usage][exit]");
}

TEST(ExecutionHandOver, AdmitsNobodyAnyMore)
{
    service_world w({.max_running = 1});
    const auto first = w.run();
    const auto second = w.submit();
    w.begin_log();
    w.events.cork();
    w.agent().exit(0);
    w.turn();
    const auto over = w.begin(w.service().hand_over(w.time().steady_now() + 10s));
    w.events.uncork();
    EXPECT_TRUE(w.advance_until([&] { return over->done(); }));
    EXPECT_EQ(w.row(first).status, status::success);
    EXPECT_EQ(w.row(second).status, status::queued);
    EXPECT_EQ(w.runtime.created(), 1u);
}

TEST(ExecutionEndAll, CancelsAndRecordsAll)
{
    service_world w({.max_running = 2});
    const auto polite = w.run();
    const auto stubborn = w.run();
    const auto queued = w.submit();
    w.agent(1).ignored_signals = {SIGTERM};
    const auto over = w.begin(w.service().end_all());
    EXPECT_TRUE(w.advance_until([&] { return over->done(); }));
    for (const auto& id : {polite, stubborn, queued})
        EXPECT_EQ(w.row(id).status, status::cancelled);
    EXPECT_EQ(w.row(stubborn).signal, SIGKILL);
    EXPECT_EQ(w.stored(queued), "[queued][usage][exit]");
    EXPECT_EQ(w.runtime.live(), 0u);
}

TEST(ExecutionEndAll, StartsNothingThatWaited)
{
    service_world w({.max_running = 70});
    for (int i = 0; i < 160; ++i)
        i < 70 ? w.run() : w.submit();
    const auto started = w.runtime.created();
    EXPECT_EQ(started, 70u);
    const auto over = w.begin(w.service().end_all());
    EXPECT_TRUE(w.advance_until([&] { return over->done(); }));
    EXPECT_EQ(w.runtime.created(), started) << "though places became free";
    EXPECT_EQ(w.runtime.live(), 0u);
}

TEST(ExecutionEndAll, LeavesWhatDoesNotEndToTheNextServer)
{
    service_world w;
    const auto id = w.run();
    w.agent().ignored_signals = {SIGTERM, SIGKILL};
    const auto over = w.begin(w.service().end_all({.stall = 2s}));
    EXPECT_TRUE(w.advance_until([&] { return over->done(); }));
    EXPECT_EQ(w.row(id).status, status::running);
    w.kill_server();
    EXPECT_TRUE(w.start_server().has_value());
    w.agent().exit(0);
    EXPECT_EQ(w.ended(id).status, status::cancelled);
}

/// Ten that end only when they are told to.
std::vector<execution_id> run_stubborn(service_world& w)
{
    std::vector<execution_id> ids;
    for (std::size_t i = 0; i < 10; ++i) {
        ids.push_back(w.run());
        w.agent(i).ignored_signals = {SIGTERM, SIGKILL};
    }
    return ids;
}

TEST(ExecutionEndAll, GoesOnAsLongAsTheyGetFewer)
{
    service_world w({.max_running = 10});
    const auto ids = run_stubborn(w);
    const auto over = w.begin(w.service().end_all({.stall = 1s}));
    for (std::size_t i = 0; i < ids.size(); ++i) {
        w.advance(800ms);
        EXPECT_FALSE(over->done());
        w.agent(i).exit(0);
    }
    EXPECT_TRUE(w.advance_until([&] { return over->done(); }));
    for (const auto& id : ids)
        EXPECT_EQ(w.row(id).status, status::cancelled);
    EXPECT_EQ(w.runtime.live(), 0u);
}

TEST(ExecutionEndAll, DoesNotGoOnForEver)
{
    service_world w({.max_running = 10});
    const auto ids = run_stubborn(w);
    const auto over = w.begin(w.service().end_all({.stall = 1s, .whole = 4s}));
    for (std::size_t i = 0; i < 8 && !over->done(); ++i) {
        w.advance(800ms);
        w.agent(i).exit(0);
    }
    EXPECT_TRUE(w.advance_until([&] { return over->done(); }));
    EXPECT_EQ(w.row(ids[0]).status, status::cancelled);
    EXPECT_EQ(w.row(ids[9]).status, status::running);
}

TEST(ExecutionEndAll, RemovesFewerSandboxesAtOnceThanThereAre)
{
    service_world w({.max_running = 300});
    for (int i = 0; i < 300; ++i)
        w.run();
    auto& removal = w.runtime.gate_of(call::destroy);
    removal.cork();
    const auto over = w.begin(w.service().end_all());
    w.advance(2s);
    EXPECT_GE(removal.held(), 64u);
    EXPECT_LT(removal.held(), 128u);
    removal.uncork();
    EXPECT_TRUE(w.advance_until([&] { return over->done(); }));
    EXPECT_EQ(w.runtime.live(), 0u);
}

}    // namespace
}    // namespace caisson

#include "tests/core/exec/service_world.hpp"

#include <csignal>

namespace caisson {
namespace {

using namespace std::chrono_literals;

/// What one call says to the owner of another tenant's execution.
struct access_case {
    std::string_view name;
    std::function<std::optional<error>(service_world&, tenant_id, execution_id)> call;
};

template <class T>
std::optional<error> error_of(const result<T>& outcome)
{
    return outcome.has_error() ? std::optional(outcome.error()) : std::nullopt;
}

class ExecutionAccess : public ::testing::TestWithParam<access_case> { };

TEST_P(ExecutionAccess, AnotherTenantFindsNothing)
{
    service_world w;
    const auto running = w.run();
    const auto before = w.submit();
    w.agent(1).exit(0);
    const auto& over = before;
    w.ended(over);
    for (const auto& id : {running, over, execution_id::from_trusted("exe_00000000000000000000000000")}) {
        const auto refused = GetParam().call(w, w.stranger, id);
        ASSERT_TRUE(refused);
        EXPECT_EQ(refused->code, errc::not_found);
        EXPECT_EQ(refused->detail, "execution not found");
    }
    EXPECT_TRUE(w.agent(0).is_running());
    EXPECT_TRUE(w.agent(0).signals.empty());
    EXPECT_TRUE(w.find(over).has_value());
    EXPECT_FALSE(w.stored(over).empty());
}

INSTANTIATE_TEST_SUITE_P(Cases, ExecutionAccess,
    ::testing::Values(access_case{"find", [](auto& w, auto t, auto id) { return error_of(w.get(w.service().find(t, id))); }},
        access_case{"wait", [](auto& w, auto t, auto id) { return error_of(w.get(w.service().wait(t, id, w.time().steady_now() + 1s))); }},
        access_case{"cancel", [](auto& w, auto t, auto id) { return error_of(w.get(w.service().cancel(t, id))); }},
        access_case{
            "signal", [](auto& w, auto t,
                          auto id) { return error_of(w.get(w.service().signal(t, id, SIGTERM, protocol::agent_link::target::leader))); }},
        access_case{"resize", [](auto& w, auto t, auto id) { return error_of(w.get(w.service().resize(t, id, {1, 1}))); }},
        access_case{"write_stdin",
            [](auto& w, auto t, auto id) {
                return error_of(w.get(w.service().write_stdin(t, id, {"x", {}, false}, w.time().steady_now() + 1s)));
            }},
        access_case{"erase", [](auto& w, auto t, auto id) { return error_of(w.get(w.service().erase(t, id))); }},
        access_case{"payload", [](auto& w, auto t, auto id) { return error_of(w.get(w.service().payload(t, id, 1))); }},
        access_case{"read_payload",
            [](auto& w, auto t, auto id) { return error_of(w.get(w.service().read_payload(t, id, payload_part::input, 0, 1))); }},
        access_case{"open_log", [](auto& w, auto t, auto id) { return error_of(w.get(w.service().open_log(t, id, {}))); }}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(ExecutionList, IsTheTenantsOwnNewestFirst)
{
    service_world w;
    const auto first = w.run();
    const auto second = w.run();
    const auto mine = w.get(w.service().list(w.tenant, {})).value();
    ASSERT_EQ(mine.size(), 2u);
    EXPECT_EQ(mine[0].id, second);
    EXPECT_EQ(mine[1].id, first);
    EXPECT_TRUE(w.get(w.service().list(w.stranger, {}))->empty());
}

TEST(ExecutionErase, IsRefusedUntilTheEnd)
{
    service_world w({.max_running = 1});
    const auto running = w.run();
    const auto queued = w.submit();
    EXPECT_EQ(w.get(w.service().erase(w.tenant, running)).error().code, errc::conflict);
    EXPECT_EQ(w.get(w.service().erase(w.tenant, queued)).error().code, errc::conflict);
    w.begin_log();
    EXPECT_EQ(w.stored(running), "[queued][running]");
    EXPECT_TRUE(w.find(running).has_value());
}

TEST(ExecutionErase, IsRefusedWhileTheEndIsBeingStored)
{
    service_world w;
    const auto id = w.run();
    w.begin_log();
    w.events.cork();
    w.agent().exit(0);
    w.turn();
    EXPECT_EQ(w.get(w.service().erase(w.tenant, id)).error().code, errc::conflict);
    w.events.uncork();
    EXPECT_TRUE(w.ended(id).finished_at_ms);
}

TEST(ExecutionErase, RemovesRecordAndLog)
{
    service_world w;
    const auto id = w.run();
    w.agent().exit(0);
    w.ended(id);
    EXPECT_TRUE(w.get(w.service().erase(w.tenant, id)).has_value());
    EXPECT_EQ(w.find(id).error().code, errc::not_found);
    EXPECT_EQ(w.stored(id), "");
    EXPECT_EQ(w.get(w.service().erase(w.tenant, id)).error().code, errc::not_found);
}

TEST(ExecutionErase, MayBeTriedAgainAfterAFailure)
{
    service_world w;
    const auto id = w.run();
    w.agent().exit(0);
    w.ended(id);
    w.events.fail_next({errc::internal, "disk is broken"});
    EXPECT_EQ(w.get(w.service().erase(w.tenant, id)).error().detail, "disk is broken");
    EXPECT_TRUE(w.find(id).has_value());
    EXPECT_TRUE(w.get(w.service().erase(w.tenant, id)).has_value());
}

TEST(ExecutionErase, IsAChangeFromBeforeAnythingGoesUntilAllIsGone)
{
    service_world w;
    const auto id = w.run();
    w.agent().exit(0);
    w.ended(id);
    const auto& clock = w.service().removals();
    const auto before = clock.now(w.tenant.str(), id.str());
    ASSERT_TRUE(before.has_value());
    std::optional<change_clock::moment> meanwhile = before;
    w.events.on_erase([&] { meanwhile = clock.now(w.tenant.str(), id.str()); });
    ASSERT_TRUE(w.get(w.service().erase(w.tenant, id)).has_value());
    EXPECT_EQ(meanwhile, std::nullopt);
    EXPECT_GT(clock.now(w.tenant.str(), id.str()), before);
}

TEST(ExecutionErase, IsAChangeThoughItFails)
{
    service_world w;
    const auto id = w.run();
    const auto now = [&w, &id] { return w.service().removals().now(w.tenant.str(), id.str()); };
    const auto before = now();
    ASSERT_TRUE(w.get(w.service().erase(w.tenant, id)).has_error());
    EXPECT_EQ(now(), before);    // nothing was removed
    w.agent().exit(0);
    w.ended(id);
    w.executions.let_pass(1);    // it is looked up
    w.executions.fail_next({errc::internal, "disk is broken"});
    ASSERT_TRUE(w.get(w.service().erase(w.tenant, id)).has_error());
    EXPECT_GT(now(), before);
}

TEST(ExecutionLive, IsSoUntilItsEndIsRecorded)
{
    service_world w;
    const auto id = w.run();
    EXPECT_TRUE(w.service().is_live(w.tenant, id));
    EXPECT_FALSE(w.service().is_live(w.stranger, id));
    w.begin_log();
    w.events.cork();
    w.agent().exit(0);
    w.turn();
    EXPECT_TRUE(w.service().is_live(w.tenant, id));
    w.events.uncork();
    w.ended(id);
    EXPECT_TRUE(w.advance_until([&] { return !w.service().is_live(w.tenant, id); }));
    EXPECT_TRUE(is_final(w.find(id)->status));
}

}    // namespace
}    // namespace caisson

#include "tests/core/exec/service_world.hpp"

namespace caisson {
namespace {

using namespace std::chrono_literals;

/// Ended executions, and how much of them is kept.
class Retention : public ::testing::Test {
protected:
    void open(retention_bounds bounds)
    {
        service_world::options chosen;
        chosen.retention = bounds;
        w_.emplace(chosen);
    }
    /// One that prints so much.
    execution_id ran(std::size_t bytes = 0)
    {
        const auto id = w_->run();
        auto& agent = w_->agent(started_++);
        if (bytes > 0)
            agent.print(std::string(bytes, 'x'));
        agent.exit(0);
        w_->ended(id);
        return id;
    }
    std::int64_t kept(const execution_id& id) { return w_->executions.kept_bytes(id); }
    bool is_there(const execution_id& id) { return w_->find(id).has_value(); }
    /// What is removed is, from now on.
    void keep_within_bounds() { keeping_ = w_->begin(w_->service().keep_within_bounds()); }

    std::optional<service_world> w_;
    std::size_t started_ = 0;
    std::shared_ptr<pending<std::monostate>> keeping_;
};

TEST_F(Retention, WhatIsKeptIsCountedWithItsOutput)
{
    open({});
    const auto small = kept(ran());
    EXPECT_GT(small, 1'000);
    EXPECT_LT(small, 3'000);
    const auto large = kept(ran(100'000));
    EXPECT_GE(large, small + 100'000);
    EXPECT_LT(large, small + 110'000);
    const auto id = w_->run();
    for (int i = 0; i < 100; ++i) {
        w_->agent(started_).print("x");
        w_->advance(30ms);
    }
    w_->agent(started_++).exit(0);
    w_->ended(id);
    EXPECT_GT(kept(id), small + 100 * 60) << "a single byte takes a row";
}

TEST_F(Retention, InputLabelsAndReceiverAreCounted)
{
    open({});
    const auto plain = kept(ran());
    auto spec = service_world::program();
    spec.labels = {{"name", std::string(1'000, 'v')}};
    spec.webhook = webhook_spec{"http://example.com/" + std::string(500, 'u'), "secret"};
    const auto id = w_->run(std::move(spec));
    w_->agent(started_++).exit(0);
    w_->ended(id);
    EXPECT_GT(kept(id), plain + 2'500);
}

TEST_F(Retention, WhoKeepsTooMuchIsRefusedUntilSomethingIsRemoved)
{
    open({.max_bytes_per_tenant = 150'000});
    const auto first = ran(100'000);
    const auto second = ran(60'000);
    const auto refused = w_->try_submit();
    ASSERT_TRUE(refused.has_error());
    EXPECT_EQ(refused.error().code, errc::quota_exceeded);
    EXPECT_EQ(refused.error().facts->limit, "executions.max_bytes_per_tenant");
    EXPECT_EQ(refused.error().facts->scope, "tenant");
    EXPECT_EQ(refused.error().facts->value, 150'000);
    EXPECT_NE(refused.error().detail.find("DELETE /v1/executions/{id}"), std::string::npos);
    EXPECT_EQ(w_->executions.size(), 2u);
    EXPECT_TRUE(w_->get(w_->service().submit(w_->stranger, service_world::program())).has_value());
    w_->restart();
    EXPECT_TRUE(w_->try_submit().has_error()) << "the next server knows it too";
    ASSERT_TRUE(w_->get(w_->service().erase(w_->tenant, second)).has_value());
    EXPECT_TRUE(w_->try_submit().has_value());
    EXPECT_TRUE(is_there(first));
}

TEST_F(Retention, WhatWasAcceptedWaitsUntilSomethingIsRemoved)
{
    service_world::options chosen{.max_running = 1};
    chosen.retention.max_bytes_per_tenant = 100'000;
    w_.emplace(chosen);
    const auto first = w_->run();
    const auto second = w_->submit();
    const auto others = w_->get(w_->service().submit(w_->stranger, service_world::program()));
    w_->agent(0).print(std::string(150'000, 'x'));
    w_->agent(0).exit(0);
    w_->ended(first);
    EXPECT_EQ(w_->waiting(), 1u);
    EXPECT_EQ(w_->sandboxes.row(w_->box(1).spec.id).tenant, w_->stranger) << "others pass by";
    EXPECT_NE(w_->find(second)->waits_for.find("executions.max_bytes_per_tenant"), std::string::npos);
    w_->agent(1).exit(0);
    w_->advance(1s);
    EXPECT_EQ(w_->running(), 0u);
    w_->restart();
    EXPECT_EQ(w_->waiting(), 1u);
    ASSERT_TRUE(w_->get(w_->service().erase(w_->tenant, first)).has_value());
    EXPECT_TRUE(w_->advance_until([&] { return w_->runtime.created() == 3; }));
    EXPECT_EQ(w_->find(second)->waits_for, "");
    w_->agent(2).exit(0);
    EXPECT_EQ(w_->ended(second).status, execution_status::success);
    EXPECT_TRUE(others.has_value());
}

TEST_F(Retention, ARefusedRequestUsesNoKey)
{
    open({.max_bytes_per_tenant = 1});
    const auto first = ran();
    const auto once = [this] { return w_->get(w_->service().submit_once(w_->tenant, service_world::program(), {"r", "k", "f"})); };
    EXPECT_EQ(once().error().code, errc::quota_exceeded);
    EXPECT_EQ(w_->executions.keys(), 0u);
    ASSERT_TRUE(w_->get(w_->service().erase(w_->tenant, first)).has_value());
    EXPECT_FALSE(once()->replayed);
}

TEST_F(Retention, TheOldestGoUntilTheRestFits)
{
    open({.max_bytes_per_tenant = 150'000, .remove_oldest = true, .batch = 2});
    const auto first = ran(1'000);
    const auto running = w_->run();
    ++started_;
    const auto second = ran(60'000);
    const auto third = ran(60'000);
    const auto fourth = ran(40'000);
    keep_within_bounds();
    EXPECT_FALSE(is_there(first) || is_there(second));
    EXPECT_TRUE(is_there(running) && is_there(third) && is_there(fourth));
    EXPECT_TRUE(w_->events.events(second).empty());
    const auto fifth = ran(60'000);
    w_->advance(1'100ms, 50ms);
    EXPECT_FALSE(is_there(third));
    EXPECT_TRUE(is_there(fourth) && is_there(fifth));
    EXPECT_TRUE(w_->try_submit().has_value());
}

TEST_F(Retention, WhoIsFasterThanTheRemovalWaitsForIt)
{
    open({.max_bytes_per_tenant = 80'000, .remove_oldest = true});
    ran(85'000);
    EXPECT_TRUE(w_->try_submit().has_value()) << "an eighth more may be there";
    ++started_;
    ran(10'000);
    const auto refused = w_->try_submit();
    ASSERT_TRUE(refused.has_error());
    EXPECT_EQ(refused.error().facts->retry_after_s, 1);
    keep_within_bounds();
    EXPECT_TRUE(w_->try_submit().has_value());
}

TEST_F(Retention, WhatEndedLongAgoGoes)
{
    open({.max_age = 1h, .batch = 1});
    const auto long_ago = ran();
    auto long_run = service_world::program();
    long_run.limits.wall_ms = 24 * 3'600'000;
    const auto runs_on = w_->run(long_run);
    ++started_;
    const auto ends_late = w_->run(long_run);
    const auto late_agent = started_++;
    w_->advance(50min, 1min);
    const auto later = ran();
    w_->agent(late_agent).exit(0);
    w_->ended(ends_late);
    keep_within_bounds();
    EXPECT_TRUE(is_there(long_ago));
    w_->advance(11min, 1min);
    EXPECT_FALSE(is_there(long_ago));
    EXPECT_TRUE(is_there(runs_on) && is_there(ends_late) && is_there(later));
    w_->advance(1h, 1min);
    EXPECT_FALSE(is_there(ends_late) || is_there(later));
    EXPECT_TRUE(is_there(runs_on));
}

TEST_F(Retention, AFailureIsToldAndTheNextRoundGoesOn)
{
    open({.max_age = 1h});
    const auto one = ran();
    w_->advance(61min, 1min);
    w_->executions.throw_next("the disk is away");
    keep_within_bounds();
    EXPECT_TRUE(is_there(one));
    EXPECT_EQ(w_->log.errors.size(), 1u);
    w_->advance(1'100ms, 100ms);
    EXPECT_FALSE(is_there(one));
    EXPECT_FALSE(keeping_->done());
}

TEST_F(Retention, OneThatCannotBeRemovedKeepsNoneOfTheOthers)
{
    open({.max_age = 1h});
    const auto first = ran();
    const auto second = ran();
    w_->advance(61min, 1min);
    w_->events.fail_next({errc::internal, "its log is damaged"});
    keep_within_bounds();
    EXPECT_TRUE(is_there(first));
    EXPECT_FALSE(is_there(second));
    EXPECT_EQ(w_->log.errors.size(), 1u);
}

TEST_F(Retention, NothingGoesByDefault)
{
    open({});
    const auto one = ran(1'000'000);
    keep_within_bounds();
    w_->advance(24h * 365, 24h);
    EXPECT_TRUE(is_there(one));
    EXPECT_TRUE(w_->try_submit().has_value());
}

std::int64_t kept_of_file(std::size_t path_bytes)
{
    std::vector<artifact_row> files(1);
    files.front().path = std::string(path_bytes, 'x');
    return kept_bytes_of({}, {}, files, 0) - kept_bytes_of({}, {}, {}, 0);
}

/// Files of 1,208 bytes of path were seen to take 7,000 bytes of records.db each.
TEST(KeptBytes, OfALongPathAreAlsoThoseOfItsIndex)
{
    EXPECT_GE(kept_of_file(1'208), 6'500);
    EXPECT_LE(kept_of_file(1'208), 7'500);
    EXPECT_LE(kept_of_file(20), 400);
}

}    // namespace
}    // namespace caisson

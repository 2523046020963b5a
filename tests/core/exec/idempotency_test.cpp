#include "core/admission/idempotency.hpp"
#include "tests/core/exec/service_world.hpp"

namespace caisson {
namespace {

using namespace std::chrono_literals;
using status = execution_status;

struct judge_case {
    std::string_view name;
    bool stored;
    std::string stored_fingerprint;
    std::int64_t now_ms;
    key_verdict want;
};
void PrintTo(const judge_case& c, std::ostream* out) { *out << c.name; }
class JudgeKey : public ::testing::TestWithParam<judge_case> { };
TEST_P(JudgeKey, SaysWhatTheRequestIs)
{
    const auto& c = GetParam();
    std::optional<idempotency_record> stored;
    if (c.stored)
        stored = idempotency_record{{}, {"r", "k", c.stored_fingerprint}, {}, 1'000, 2'000};
    EXPECT_EQ(judge_key(stored, {"r", "k", "f1"}, c.now_ms), c.want);
}
INSTANTIATE_TEST_SUITE_P(Cases, JudgeKey,
    ::testing::Values(judge_case{"never_used", false, "", 1'500, key_verdict::fresh},
        judge_case{"same_body", true, "f1", 1'500, key_verdict::repeat},
        judge_case{"other_body", true, "f2", 1'500, key_verdict::other_body},
        judge_case{"last_moment", true, "f1", 1'999, key_verdict::repeat}, judge_case{"expired", true, "f1", 2'000, key_verdict::fresh},
        judge_case{"expired_with_other_body", true, "f2", 2'000, key_verdict::fresh},
        judge_case{"the_clock_stepped_back", true, "f1", 500, key_verdict::repeat}),
    [](const auto& info) { return std::string(info.param.name); });

struct key_case {
    std::string_view name;
    std::string key;
    bool want;
};
void PrintTo(const key_case& c, std::ostream* out) { *out << c.name; }
class KeyText : public ::testing::TestWithParam<key_case> { };
TEST_P(KeyText, IsPrintableAscii) { EXPECT_EQ(is_idempotency_key(GetParam().key), GetParam().want); }
INSTANTIATE_TEST_SUITE_P(Cases, KeyText,
    ::testing::Values(key_case{"empty", "", false}, key_case{"one", "k", true}, key_case{"most", std::string(255, 'k'), true},
        key_case{"too_long", std::string(256, 'k'), false}, key_case{"blank_inside", "a b", true}, key_case{"tab", "a\tb", false},
        key_case{"not_ascii", "\xc3\xa9", false}, key_case{"delete_character", "\x7f", false}),
    [](const auto& info) { return std::string(info.param.name); });

using submitted = result<execution_service::submission>;

struct keyed_world : service_world {
    using service_world::service_world;
    task<submitted> once(std::string key, std::string body = "f", std::string route = "r")
    {
        return service().submit_once(tenant, program(), {std::move(route), std::move(key), std::move(body)});
    }
    submitted try_once(std::string key, std::string body = "f", std::string route = "r")
    {
        return get(once(std::move(key), std::move(body), std::move(route)));
    }
    execution_service::submission must_once(std::string key) { return try_once(std::move(key)).value(); }
};

TEST(SubmitOnce, ARepeatIsTheSameExecution)
{
    keyed_world w;
    const auto first = w.must_once("k");
    EXPECT_FALSE(first.replayed);
    const auto while_it_runs = w.must_once("k");
    EXPECT_TRUE(while_it_runs.replayed);
    EXPECT_EQ(while_it_runs.row.id, first.row.id);
    EXPECT_EQ(while_it_runs.row.status, status::running);
    w.agent().exit(7);
    w.ended(first.row.id);
    const auto afterwards = w.must_once("k");
    EXPECT_EQ(afterwards.row.id, first.row.id);
    EXPECT_EQ(afterwards.row.exit_code, 7);
    EXPECT_EQ(w.executions.size(), 1u);
}

TEST(SubmitOnce, OtherKeysRoutesAndTenantsAreApart)
{
    keyed_world w;
    w.must_once("k");
    EXPECT_FALSE(w.must_once("k2").replayed);
    EXPECT_FALSE(w.try_once("k", "f", "other route")->replayed);
    const auto stranger = w.get(w.service().submit_once(w.stranger, service_world::program(), {"r", "k", "other body"}));
    EXPECT_FALSE(stranger.value().replayed);
    EXPECT_EQ(w.executions.size(), 4u);
}

TEST(SubmitOnce, AnotherBodyIsRefused)
{
    keyed_world w;
    w.must_once("k");
    const auto refused = w.try_once("k", "other");
    ASSERT_TRUE(refused.has_error());
    EXPECT_EQ(refused.error().code, errc::unprocessable);
    EXPECT_NE(refused.error().detail.find("\"k\""), std::string::npos);
    EXPECT_EQ(refused.error().fields.at(0).field, "Idempotency-Key");
    EXPECT_EQ(w.executions.size(), 1u);
}

TEST(SubmitOnce, OfManyAtOnceOneRuns)
{
    keyed_world w;
    w.executions.cork();
    std::vector<std::shared_ptr<pending<submitted>>> asked;
    for (int i = 0; i < 50; ++i)
        asked.push_back(w.begin(w.once("k")));
    EXPECT_EQ(w.executions.held(), 1u);
    const auto other = w.begin(w.once("k", "other"));
    w.executions.uncork();
    w.turn();
    int fresh = 0;
    for (const auto& one : asked) {
        ASSERT_TRUE(one->value && one->value->has_value());
        fresh += (*one->value)->replayed ? 0 : 1;
    }
    EXPECT_EQ(fresh, 1);
    EXPECT_EQ(w.executions.size(), 1u);
    ASSERT_TRUE(other->value);
    EXPECT_EQ(other->value->error().code, errc::unprocessable);
}

TEST(SubmitOnce, WhoWaitsForAnotherDoesNotWaitForever)
{
    keyed_world w;
    w.executions.cork();
    const auto first = w.begin(w.once("k"));
    const auto second = w.begin(w.once("k"));
    w.advance(29s, 1s);
    EXPECT_FALSE(second->done());
    w.advance(2s, 1s);
    ASSERT_TRUE(second->done());
    EXPECT_EQ(second->value->error().code, errc::runtime_unavailable);
    w.executions.uncork();
    w.turn();
    EXPECT_TRUE(first->value->has_value());
}

TEST(SubmitOnce, ARefusedRequestUsesNoKey)
{
    keyed_world w({.max_running = 1, .max_queued = 0});
    const auto first = w.run();
    EXPECT_EQ(w.try_once("k").error().code, errc::queue_full);
    w.agent().exit(0);
    w.ended(first);
    EXPECT_FALSE(w.must_once("k").replayed);
}

TEST(SubmitOnce, ARecordThatFailsUsesNoKey)
{
    keyed_world w;
    w.executions.let_pass(1);    // the look for the key
    w.executions.fail_next({errc::internal, "disk is broken"});
    EXPECT_EQ(w.try_once("k").error().detail, "disk is broken");
    EXPECT_FALSE(w.must_once("k").replayed);
    EXPECT_EQ(w.executions.size(), 1u);
}

TEST(SubmitOnce, ARepeatIsAnsweredWhereTheQueueIsFull)
{
    keyed_world w({.max_running = 1, .max_queued = 0});
    const auto first = w.must_once("k");
    EXPECT_EQ(w.try_once("other").error().code, errc::queue_full);
    EXPECT_EQ(w.must_once("k").row.id, first.row.id);
}

TEST(SubmitOnce, ADeletedExecutionIsGone)
{
    keyed_world w;
    const auto first = w.must_once("k");
    w.agent().exit(0);
    w.ended(first.row.id);
    EXPECT_TRUE(w.get(w.service().erase(w.tenant, first.row.id)).has_value());
    const auto again = w.try_once("k");
    ASSERT_TRUE(again.has_error());
    EXPECT_EQ(again.error().code, errc::gone);
    EXPECT_NE(again.error().detail.find(first.row.id.str()), std::string::npos);
    EXPECT_EQ(w.executions.size(), 0u);
}

TEST(SubmitOnce, AKeyOutlivesTheServer)
{
    keyed_world w;
    const auto first = w.must_once("k");
    w.kill_server();
    EXPECT_TRUE(w.start_server().has_value());
    const auto again = w.must_once("k");
    EXPECT_TRUE(again.replayed);
    EXPECT_EQ(again.row.id, first.row.id);
    EXPECT_EQ(w.executions.size(), 1u);
}

TEST(SubmitOnce, AKeyEndsWithItsLifetime)
{
    keyed_world w;
    const auto first = w.must_once("k");
    w.agent().exit(0);
    w.ended(first.row.id);
    w.kill_server();
    EXPECT_TRUE(w.start_server(24h).has_value());
    const auto again = w.must_once("k");
    EXPECT_FALSE(again.replayed);
    EXPECT_NE(again.row.id, first.row.id);
    EXPECT_EQ(w.executions.keys(), 1u);
}

TEST(SubmitOnce, KeysOfATenantAreBounded)
{
    keyed_world w({.keys = {.lifetime_ms = 60'000, .most_keys_of_tenant = 2}});
    w.must_once("k1");
    w.must_once("k2");
    const auto refused = w.try_once("k3");
    ASSERT_TRUE(refused.has_error());
    EXPECT_EQ(refused.error().code, errc::quota_exceeded);
    EXPECT_EQ(refused.error().facts->limit, "idempotency.max_keys_per_tenant");
    EXPECT_TRUE(w.must_once("k1").replayed);
    EXPECT_TRUE(w.get(w.service().submit_once(w.stranger, service_world::program(), {"r", "k", "f"})).has_value());
}

TEST(SubmitOnce, ExpiredKeysAreForgottenInBatches)
{
    keyed_world w({.max_running = 1, .max_queued = 2'000, .keys = {.lifetime_ms = 60'000}});
    for (int i = 0; i < 1'200; ++i)
        w.must_once("k" + std::to_string(i));
    auto forgetting = w.begin(w.service().forget_expired_keys());
    w.advance(50s, 1s);
    EXPECT_EQ(w.executions.keys(), 1'200u);
    w.advance(75s, 1s);
    EXPECT_EQ(w.executions.keys(), 0u);
    EXPECT_FALSE(forgetting->done());
}

TEST(SubmitOnce, AStoreThatFailsDoesNotEndTheForgetting)
{
    keyed_world w({.keys = {.lifetime_ms = 60'000}});
    w.must_once("k");
    w.executions.throw_next("the disk is away");
    auto forgetting = w.begin(w.service().forget_expired_keys());
    w.advance(125s, 1s);
    EXPECT_EQ(w.executions.keys(), 0u);
    EXPECT_FALSE(forgetting->done());
}

}    // namespace
}    // namespace caisson

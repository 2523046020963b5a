#include "core/webhooks/schedule.hpp"

#include <gtest/gtest.h>

namespace caisson {
namespace {

using namespace std::chrono_literals;

struct attempt_case {
    std::string_view name;
    int before;    // attempts made
    webhook_answer answer;
    webhook_state want;
    std::optional<std::int64_t> next_in_ms;
    std::string_view says;
    double draw = 1;
};
class AfterAttempt : public ::testing::TestWithParam<attempt_case> { };
TEST_P(AfterAttempt, IsDecidedByTheAnswer)
{
    const auto& c = GetParam();
    const webhook_schedule how{4, {1s, 3, 5s}};
    webhook_status before{"http://a/", webhook_state::pending, c.before, 500, "old", 1};
    const auto got = after_attempt(before, c.answer, how, 10'000, c.draw);
    EXPECT_EQ(got.url, "http://a/");
    EXPECT_EQ(got.attempts, c.before + 1);
    EXPECT_EQ(got.state, c.want);
    EXPECT_EQ(got.last_status, c.answer.status);
    EXPECT_EQ(got.next_attempt_at_ms, c.next_in_ms ? std::optional(10'000 + *c.next_in_ms) : std::nullopt);
    EXPECT_EQ(got.last_error, c.says);
}
INSTANTIATE_TEST_SUITE_P(Cases, AfterAttempt,
    ::testing::Values(attempt_case{"ok", 0, {200, "", false}, webhook_state::delivered, {}, ""},
        attempt_case{"no_content", 3, {204, "", false}, webhook_state::delivered, {}, ""},
        attempt_case{"server_error", 0, {500, "", false}, webhook_state::pending, 1'000, "the receiver answered 500"},
        attempt_case{"second", 1, {500, "", false}, webhook_state::pending, 3'000, "the receiver answered 500"},
        attempt_case{"capped", 2, {500, "", false}, webhook_state::pending, 5'000, "the receiver answered 500"},
        attempt_case{"half_jitter", 1, {500, "", false}, webhook_state::pending, 1'500, "the receiver answered 500", 0.5},
        attempt_case{"no_jitter_left", 1, {500, "", false}, webhook_state::pending, 0, "the receiver answered 500", 0},
        attempt_case{"last", 3, {500, "", false}, webhook_state::failed, {}, "the receiver answered 500"},
        attempt_case{"not_found", 0, {404, "", false}, webhook_state::pending, 1'000, "the receiver answered 404"},
        attempt_case{"gone", 0, {410, "", false}, webhook_state::failed, {}, "the receiver answered 410"},
        attempt_case{
            "redirect", 0, {302, "", false}, webhook_state::pending, 1'000, "the receiver answered 302; redirects are not followed"},
        attempt_case{"unreachable", 0, {{}, "cannot connect", false}, webhook_state::pending, 1'000, "cannot connect"},
        attempt_case{"refused", 0, {{}, "no public address", true}, webhook_state::failed, {}, "no public address"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(WebhookSchedule, SpreadsTheDefaultAttemptsOverAboutADay)
{
    const webhook_schedule how;
    std::chrono::milliseconds all{0};
    for (int retry = 1; retry < how.attempts; ++retry)
        all += full_delay(retry, how.delays);
    EXPECT_GT(all, 24h);
    EXPECT_LT(all, 30h);
}

TEST(WebhookStates, HaveNames)
{
    for (const auto state : {webhook_state::pending, webhook_state::delivered, webhook_state::failed})
        EXPECT_EQ(webhook_state_from(to_string(state)), state);
    EXPECT_FALSE(webhook_state_from("lost"));
}

}    // namespace
}    // namespace caisson

#include "app/wire/attempts_view.hpp"
#include "app/wire/request_reader.hpp"
#include "app/wire/retry_field.hpp"

#include <gtest/gtest.h>

#include <ostream>

namespace caisson::wire {

namespace {

using fault = attempt_fault;

/// What is read of a request, or its first mistakes.
std::pair<repetition, std::string> read(std::string_view body)
{
    const auto object = parse_json_object(body).value();
    problem_list problems;
    object_reader reader(object, "", problems);
    auto got = read_repetition(reader);
    return {std::move(got), problems.empty() ? "" : problems.to_error().detail};
}

retry_policy policy_of(std::string_view body)
{
    const auto [got, mistakes] = read(body);
    EXPECT_EQ(mistakes, "");
    return got.policy;
}

TEST(RetryField, SaysNothingByDefault)
{
    const auto [got, mistakes] = read("{}");
    EXPECT_EQ(mistakes, "");
    EXPECT_EQ(got.policy, retry_policy());
    EXPECT_FALSE(got.idempotent);
    EXPECT_EQ(policy_of(R"({"retry":{}})"), retry_policy());
}

TEST(RetryField, Everything)
{
    const auto [got, mistakes] =
        read(R"({"idempotent":true,"retry":{"attempts":10,"first_delay_ms":0,"multiplier":1.5,"max_delay_ms":600000,
        "on":["image_pull","agent_lost","program"],"exit_codes":[1,255]}})");
    EXPECT_EQ(mistakes, "");
    EXPECT_TRUE(got.idempotent);
    EXPECT_EQ(got.policy, (retry_policy{10, 0, 1.5, 600'000, {fault::image_pull, fault::agent_lost, fault::program}, {1, 255}}));
}

TEST(RetryField, TheCapIsNoShorterThanTheFirstDelay)
{
    EXPECT_EQ(policy_of(R"({"retry":{"first_delay_ms":60000}})").max_delay_ms, 60'000);
    EXPECT_EQ(policy_of(R"({"retry":{"first_delay_ms":1000}})").max_delay_ms, 10'000);
}

TEST(RetryField, NoFaultAtAllCanBeNamed) { EXPECT_TRUE(policy_of(R"({"retry":{"on":[]}})").faults.empty()); }

TEST(RetryField, ASkillMaySayItselfThatItIsIdempotent)
{
    EXPECT_EQ(policy_of(R"({"skill":"x","retry":{"on":["agent_lost"]}})").faults, std::vector{fault::agent_lost});
}

struct mistake_case {
    std::string_view name;
    std::string_view body;
    std::string_view want;
};
void PrintTo(const mistake_case& one, std::ostream* out) { *out << one.name; }

class RetryMistake : public ::testing::TestWithParam<mistake_case> { };
TEST_P(RetryMistake, IsNamed) { EXPECT_EQ(read(GetParam().body).second, GetParam().want); }

constexpr std::string_view faults = "must be one of runtime_unavailable, image_pull, agent_unreachable, agent_lost, program";
const std::string wrong_fault = "retry.on[1] " + std::string(faults);
const std::string limit_fault = "retry.on[0] " + std::string(faults);

INSTANTIATE_TEST_SUITE_P(Cases, RetryMistake,
    ::testing::Values(mistake_case{"not_an_object", R"({"retry":3})", "retry must be an object"},
        mistake_case{"idempotent", R"({"idempotent":1})", "idempotent must be true or false"},
        mistake_case{"no_attempt", R"({"retry":{"attempts":0}})", "retry.attempts must be a whole number between 1 and 10"},
        mistake_case{"many_attempts", R"({"retry":{"attempts":11}})", "retry.attempts must be a whole number between 1 and 10"},
        mistake_case{
            "negative_delay", R"({"retry":{"first_delay_ms":-1}})", "retry.first_delay_ms must be a whole number between 0 and 60000"},
        mistake_case{
            "long_delay", R"({"retry":{"first_delay_ms":60001}})", "retry.first_delay_ms must be a whole number between 0 and 60000"},
        mistake_case{"multiplier_below_one", R"({"retry":{"multiplier":0.9}})", "retry.multiplier must be a number between 1 and 10"},
        mistake_case{"multiplier_above_ten", R"({"retry":{"multiplier":10.1}})", "retry.multiplier must be a number between 1 and 10"},
        mistake_case{"long_cap", R"({"retry":{"max_delay_ms":600001}})", "retry.max_delay_ms must be a whole number between 0 and 600000"},
        mistake_case{
            "cap_below_the_first", R"({"retry":{"max_delay_ms":499}})", "retry.max_delay_ms must not be less than first_delay_ms (500)"},
        mistake_case{"on_is_no_list", R"({"retry":{"on":"program"}})", "retry.on must be an array"},
        mistake_case{"unknown_fault", R"({"retry":{"on":["program","agent"]}})", wrong_fault},
        mistake_case{"limit", R"({"retry":{"on":["limit"]}})", limit_fault},
        mistake_case{"fault_that_is_a_number", R"({"retry":{"on":[1]}})", limit_fault},
        mistake_case{"many_faults", R"({"retry":{"on":["program","program","program","program","program","program"]}})",
            "retry.on must have at most 5 entries"},
        mistake_case{"success", R"({"retry":{"exit_codes":[0]}})", "retry.exit_codes[0] must be a whole number between 1 and 255"},
        mistake_case{"code_beyond", R"({"retry":{"exit_codes":[1,256]}})", "retry.exit_codes[1] must be a whole number between 1 and 255"},
        mistake_case{
            "code_with_a_fraction", R"({"retry":{"exit_codes":[1.5]}})", "retry.exit_codes[0] must be a whole number between 1 and 255"},
        mistake_case{"many_codes",
            R"({"retry":{"exit_codes":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}})",
            "retry.exit_codes must have at most 50 entries"},
        mistake_case{"unknown_field", R"({"retry":{"retries":1}})", "retry.retries is not a known field"},
        mistake_case{"lost_run_without_consent", R"({"retry":{"on":["agent_lost"]}})",
            "retry may name agent_lost in \"on\" with \"idempotent\": true only, since the program may have started"}),
    [](const auto& info) { return std::string(info.param.name); });

std::string shown(const execution_row& row)
{
    std::string text;
    json_writer out(text);
    out.begin_object();
    write_attempts(out, row);
    out.end_object();
    return text;
}

TEST(AttemptsView, IsAbsentBeforeTheFirst) { EXPECT_EQ(shown({}), "{}"); }

TEST(AttemptsView, ShowsEachWithItsPartOfTheLog)
{
    execution_row row;
    row.next_attempt_at_ms = 1'500;
    auto& ended = row.attempts.emplace_back();
    ended.started_at_ms = 0;
    ended.ended_at_ms = 1'000;
    ended.fault = fault::program;
    ended.error = "bad \xff";
    ended.verdict = verdict::exited;
    ended.exit_code = 75;
    ended.delay_ms = 500;
    auto& lost = row.attempts.emplace_back();
    lost.number = 2;
    lost.started_at_ms = 1'500;
    lost.stdout_base = 7;
    lost.stderr_base = 8;
    lost.signal = 9;
    EXPECT_EQ(shown(row), R"({"next_attempt_at":"1970-01-01T00:00:01.500Z","attempts":[)"
                          R"({"number":1,"started_at":"1970-01-01T00:00:00.000Z","ended_at":"1970-01-01T00:00:01.000Z","verdict":"exited",)"
                          R"("fault":"program","error":"bad �","exit_code":75,"delay_ms":500,"stdout_offset":0,"stderr_offset":0},)"
                          R"({"number":2,"started_at":"1970-01-01T00:00:01.500Z","signal":9,"stdout_offset":7,"stderr_offset":8}]})");
}

}    // namespace

}    // namespace caisson::wire

#include "core/exec/attempts.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <ostream>

namespace caisson {
namespace {

using namespace std::chrono_literals;
using fault = attempt_fault;

ending ended(verdict what, std::optional<int> exit_code = std::nullopt)
{
    ending end;
    end.verdict = what;
    end.exit_code = exit_code;
    return end;
}

ending_facts at_host(fault what)
{
    ending_facts facts;
    facts.host_fault = what;
    return facts;
}

struct fault_case {
    std::string_view name;
    ending end;
    ending_facts facts;
    std::optional<fault> want;
};
void PrintTo(const fault_case& one, std::ostream* out) { *out << one.name; }

class AttemptFault : public ::testing::TestWithParam<fault_case> { };
TEST_P(AttemptFault, IsDecidedByTheVerdict) { EXPECT_EQ(fault_of(GetParam().end, GetParam().facts), GetParam().want); }
INSTANTIATE_TEST_SUITE_P(Cases, AttemptFault,
    ::testing::Values(fault_case{"success", ended(verdict::exited, 0), {}, std::nullopt},
        fault_case{"exit_code", ended(verdict::exited, 1), {}, fault::program},
        fault_case{"signal", ended(verdict::signaled), {}, fault::program},
        fault_case{"program_not_started", ended(verdict::runtime_error), {}, fault::program},
        fault_case{"no_sandbox", ended(verdict::runtime_error), at_host(fault::runtime_unavailable), fault::runtime_unavailable},
        fault_case{"no_agent", ended(verdict::runtime_error), at_host(fault::agent_unreachable), fault::agent_unreachable},
        fault_case{"lost", ended(verdict::lost), {}, fault::agent_lost}, fault_case{"wall", ended(verdict::wall_limit), {}, fault::limit},
        fault_case{"cpu", ended(verdict::cpu_limit), {}, fault::limit},
        fault_case{"memory", ended(verdict::memory_limit), {}, fault::limit},
        fault_case{"output", ended(verdict::output_limit), {}, fault::limit},
        fault_case{"cancelled", ended(verdict::cancelled, 0), {}, fault::limit}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(AttemptErrors, OfTheRequestAreNotWorthAnotherAttempt)
{
    for (const auto code : {errc::gone, errc::not_found, errc::bad_request, errc::forbidden, errc::invalid_skill, errc::image_not_allowed,
             errc::unprocessable, errc::not_implemented})
        EXPECT_FALSE(is_worth_another(code)) << slug(code);
    for (const auto code :
        {errc::runtime_unavailable, errc::internal, errc::timed_out, errc::rate_limited, errc::conflict, errc::cancelled})
        EXPECT_TRUE(is_worth_another(code)) << slug(code);
}

TEST(Attempt, EndsWithTheEndingAndABoundedError)
{
    auto end = ended(verdict::exited, 75);
    end.error = std::string(1'022, 'a') + "\xe2\x82\xac and more";    // the bound lies within a character
    execution_attempt one;
    end_attempt(one, end, fault::program, 5'000);
    EXPECT_EQ(one.ended_at_ms, 5'000);
    EXPECT_EQ(one.fault, fault::program);
    EXPECT_EQ(one.verdict, verdict::exited);
    EXPECT_EQ(one.exit_code, 75);
    EXPECT_EQ(one.error, std::string(1'022, 'a') + "…");
}

TEST(Attempt, GivesItsEndToTheExecution)
{
    auto end = ended(verdict::lost);
    end.error = "the sandbox ended";
    execution_attempt one;
    end_attempt(one, end, fault::agent_lost, 5'000);
    const auto back = ending_of(one, {limit_kind::pids}, "no time");
    EXPECT_EQ(back.status, execution_status::interrupted);
    EXPECT_EQ(back.verdict, verdict::lost);
    EXPECT_EQ(back.error, "the sandbox ended; no time");
    EXPECT_EQ(back.limits_hit, std::vector{limit_kind::pids});
}

TEST(Attempts, AreCountedFromTheSecondOn)
{
    execution_row row;
    EXPECT_EQ(count_of_attempts(row), "");
    row.attempts.resize(1);
    EXPECT_EQ(count_of_attempts(row), "");
    row.attempts.resize(3);
    EXPECT_EQ(count_of_attempts(row), "; tried 3 times");
}

struct left_case {
    std::string_view name;
    std::vector<std::int64_t> started;
    std::chrono::milliseconds want;
};
void PrintTo(const left_case& one, std::ostream* out) { *out << one.name; }

class WallLeft : public ::testing::TestWithParam<left_case> { };
TEST_P(WallLeft, IsWhatTheAttemptsBeforeDidNotUse)
{
    execution_row row;
    row.limits.wall_ms = 10'000;
    for (const auto at : GetParam().started)
        row.attempts.emplace_back().started_at_ms = at;
    EXPECT_EQ(wall_left_of_record(row), GetParam().want);
}
INSTANTIATE_TEST_SUITE_P(Cases, WallLeft,
    ::testing::Values(left_case{"none_yet", {}, 10s}, left_case{"first", {5'000}, 10s}, left_case{"second", {5'000, 9'000}, 6s},
        left_case{"third", {5'000, 9'000, 14'000}, 1s}, left_case{"clock_set_back", {5'000, 1'000}, 10s},
        left_case{"clock_set_forward", {5'000, 5'000'000}, 100ms}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(RecordFault, FollowsTheVerdictAsFarAsItTells)
{
    execution_row row;
    row.status = execution_status::success;
    row.verdict = verdict::exited;
    row.exit_code = 0;
    EXPECT_EQ(fault_of_record(row), std::nullopt);
    row.status = execution_status::failed;
    EXPECT_EQ(fault_of_record(row), fault::program) << "its output was judged";
    row.exit_code = 3;
    EXPECT_EQ(fault_of_record(row), fault::program);
    row.verdict = verdict::lost;
    EXPECT_EQ(fault_of_record(row), fault::agent_lost);
    row.verdict = verdict::runtime_error;
    EXPECT_EQ(fault_of_record(row), std::nullopt);
}

}    // namespace
}    // namespace caisson

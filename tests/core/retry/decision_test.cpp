#include "core/retry/decision.hpp"

#include <gtest/gtest.h>

#include <ostream>

namespace caisson {

namespace {

using namespace std::chrono_literals;
using fault = attempt_fault;
using says = retry_verdict;

struct judge_case {
    std::string_view name;
    failed_attempt what;
    retry_policy policy;
    retry_verdict want;
};
void PrintTo(const judge_case& one, std::ostream* out) { *out << one.name; }

retry_policy of(std::vector<fault> faults, std::vector<int> codes = {}, int attempts = 2)
{
    retry_policy policy;
    policy.attempts = attempts;
    policy.faults = std::move(faults);
    policy.exit_codes = std::move(codes);
    return policy;
}

failed_attempt lost(bool idempotent, bool host_to_blame)
{
    return {.fault = fault::agent_lost, .idempotent = idempotent, .host_to_blame = host_to_blame};
}

class Judged : public ::testing::TestWithParam<judge_case> { };
TEST_P(Judged, ByWhatHappenedAndByThePolicy) { EXPECT_EQ(judge(GetParam().what, GetParam().policy), GetParam().want); }

const std::vector<fault> all_faults{
    fault::runtime_unavailable, fault::image_pull, fault::agent_unreachable, fault::agent_lost, fault::program, fault::limit};

INSTANTIATE_TEST_SUITE_P(Cases, Judged,
    ::testing::Values(judge_case{"no_sandbox", {.fault = fault::runtime_unavailable}, {}, says::repeat},
        judge_case{"no_image", {.fault = fault::image_pull}, {}, says::repeat},
        judge_case{"agent_silent_before_the_program", {.fault = fault::agent_unreachable}, {}, says::repeat},
        judge_case{"fault_that_is_not_named", {.fault = fault::image_pull}, of({fault::runtime_unavailable}), says::not_a_reason},
        judge_case{"no_fault_is_named", {.fault = fault::runtime_unavailable}, of({}), says::not_a_reason},
        judge_case{"program_failed", {.fault = fault::program, .exit_code = 1}, {}, says::not_a_reason},
        judge_case{"program_failed_and_infrastructure_is_named", {.fault = fault::program, .exit_code = 1},
            of({fault::runtime_unavailable, fault::image_pull, fault::agent_unreachable, fault::agent_lost}), says::not_a_reason},
        judge_case{"any_failure_of_the_program_is_named", {.fault = fault::program, .exit_code = 1}, of({fault::program}), says::repeat},
        judge_case{"any_signal_of_the_program_is_named", {.fault = fault::program}, of({fault::program}), says::repeat},
        judge_case{"exit_code_is_named", {.fault = fault::program, .exit_code = 75}, of({}, {74, 75}), says::repeat},
        judge_case{"another_exit_code_is_named", {.fault = fault::program, .exit_code = 75}, of({}, {74, 76}), says::not_a_reason},
        judge_case{"signaled_program_has_no_exit_code", {.fault = fault::program}, of({}, {9, 137}), says::not_a_reason},
        judge_case{"limit", {.fault = fault::limit}, of(all_faults, {0, 1, 137}), says::not_a_reason},
        judge_case{"agent_lost", lost(false, true), of(all_faults), says::may_have_run},
        judge_case{"agent_lost_of_an_idempotent_run", lost(true, true), of(all_faults), says::repeat},
        judge_case{"agent_lost_of_an_idempotent_run_by_default", lost(true, true), {}, says::repeat},
        judge_case{"agent_lost_is_not_named", lost(true, true), of({fault::runtime_unavailable}), says::not_a_reason},
        judge_case{"agent_lost_when_nothing_is_named", lost(true, true), of({}), says::not_a_reason},
        judge_case{"agent_killed_from_inside", lost(true, false), of(all_faults), says::agent_killed},
        judge_case{"agent_killed_from_inside_not_idempotent", lost(false, false), of(all_faults), says::may_have_run},
        judge_case{
            "one_attempt_only", {.fault = fault::runtime_unavailable}, of({fault::runtime_unavailable}, {}, 1), says::attempts_spent},
        judge_case{"second_of_two", {.number = 2, .fault = fault::runtime_unavailable}, {}, says::attempts_spent},
        judge_case{"ninth_of_ten", {.number = 9, .fault = fault::image_pull}, of(all_faults, {}, 10), says::repeat},
        judge_case{"tenth_of_ten", {.number = 10, .fault = fault::image_pull}, of(all_faults, {}, 10), says::attempts_spent},
        judge_case{"stdin_is_spent", {.fault = fault::program, .exit_code = 75, .stdin_spent = true}, of({}, {75}), says::input_is_gone},
        judge_case{"cancelled", {.fault = fault::runtime_unavailable, .cancelled = true}, {}, says::cancelled}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(RetryVerdicts, AllHaveWords)
{
    for (int i = 0; i <= static_cast<int>(says::cancelled); ++i)
        EXPECT_FALSE(to_string(static_cast<retry_verdict>(i)).empty()) << i;
}

struct deadline_case {
    std::string_view name;
    std::chrono::nanoseconds elapsed;
    std::chrono::milliseconds delay;
    std::chrono::milliseconds left;
    bool allowed;
};
void PrintTo(const deadline_case& one, std::ostream* out) { *out << one.name; }

class Deadline : public ::testing::TestWithParam<deadline_case> { };
TEST_P(Deadline, CountsFromTheFirstAttempt)
{
    const auto& one = GetParam();
    const retry_deadline deadline(one.elapsed, 10s);
    EXPECT_EQ(deadline.left(), one.left);
    EXPECT_EQ(deadline.allows(one.delay), one.allowed);
}
INSTANTIATE_TEST_SUITE_P(Cases, Deadline,
    ::testing::Values(deadline_case{"at_once", 0ns, 0ms, 10s, true}, deadline_case{"in_time", 4s, 5'900ms, 6s, true},
        deadline_case{"just_too_late", 4s, 5'901ms, 6s, false}, deadline_case{"least_time_is_left", 9'900ms, 0ms, 100ms, true},
        deadline_case{"less_than_the_least_is_left", 9'901ms, 0ms, 99ms, false},
        deadline_case{"parts_of_a_millisecond_are_given", 9'899'999'999ns, 0ms, 101ms, true}, deadline_case{"over", 10s, 0ms, 0ms, false},
        deadline_case{"long_over", 1h, 0ms, 0ms, false}, deadline_case{"a_clock_that_went_back", -5s, 9s, 10s, true}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace

}    // namespace caisson

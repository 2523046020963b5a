#include "core/exec/limit_watch.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <vector>

namespace caisson {
namespace {

using namespace std::chrono_literals;
using usage = program_readings::usage;

constexpr auto between = 50ms;
constexpr std::int64_t wall_ms = 1'000;
constexpr std::int64_t cpu_ms = 100;

constexpr steady_time at(std::chrono::milliseconds after) { return steady_time{} + after; }

/// A program that runs since 0 and uses nothing.
program_readings running()
{
    program_readings seen;
    seen.start_heard = true;
    return seen;
}
program_readings with(usage used)
{
    auto seen = running();
    seen.used = used;
    return seen;
}
program_readings cancelled()
{
    auto seen = running();
    seen.cancel_wanted = true;
    return seen;
}
program_readings unheard(steady_time asked_at = {})
{
    program_readings seen;
    seen.asked_at = asked_at;
    return seen;
}

struct step {
    std::chrono::milliseconds when;
    program_readings seen;
    watch_action want;
};
struct watch_case {
    std::string_view name;
    watched_limits limits;
    std::vector<step> steps;
    std::function<bool(const ending_facts&)> facts = [](const ending_facts&) { return true; };
};
void PrintTo(const watch_case& c, std::ostream* out) { *out << c.name; }

class LimitWatch : public ::testing::TestWithParam<watch_case> { };

TEST_P(LimitWatch, SaysWhatIsToBeDone)
{
    const auto& c = GetParam();
    limit_watch watch(c.limits, at(0ms));
    for (std::size_t i = 0; i < c.steps.size(); ++i) {
        const auto got = watch.look(at(c.steps[i].when), c.steps[i].seen, between);
        EXPECT_EQ(got.terminate, c.steps[i].want.terminate) << "at step " << i;
        EXPECT_EQ(got.kill, c.steps[i].want.kill) << "at step " << i;
        EXPECT_EQ(got.give_up, c.steps[i].want.give_up) << "at step " << i;
    }
    EXPECT_TRUE(c.facts(watch.facts()));
}

const watch_action wait{};
const watch_action terminate{.terminate = true};
const watch_action kill{.kill = true};
const watched_limits of_program{.wall_ms = wall_ms, .cpu_ms = cpu_ms};
const watched_limits compiler{.wall_ms = wall_ms, .cpu_ms = cpu_ms, .ends_gently = false, .name = "compiler"};
const watched_limits ends_at_output{.wall_ms = wall_ms, .cpu_ms = cpu_ms, .ends_at_output_limit = true};

program_readings cut()
{
    auto seen = running();
    seen.output_cut = true;
    return seen;
}
program_readings needs_agent()
{
    auto seen = running();
    seen.killed_without_agent = false;
    return seen;
}
program_readings unstorable(bool is_lost = false)
{
    auto seen = running();
    seen.log_failure = "the disk is full";
    seen.is_lost = is_lost;
    return seen;
}
usage cpu(std::int64_t us)
{
    usage used;
    used.group.cpu_us = us;
    return used;
}
usage oom()
{
    usage used;
    used.group.oom_kills = 1;
    return used;
}

INSTANTIATE_TEST_SUITE_P(Wishes, LimitWatch,
    ::testing::Values(watch_case{"nothing_is_wrong", of_program, {{0ms, running(), wait}, {1ms, with(cpu(99'999)), wait}},
                          [](const auto& f) { return !f.cancelled && !f.cpu_limit && !f.wall_limit; }},
        watch_case{"a_cancel_terminates_once_and_kills_after_a_second", of_program,
            {{0ms, cancelled(), terminate}, {999ms, cancelled(), wait}, {1'000ms, cancelled(), kill}, {1'050ms, cancelled(), wait}},
            [](const auto& f) { return f.cancelled && !f.wall_limit; }},
        watch_case{"a_cancel_kills_a_compiler_at_once", compiler, {{0ms, cancelled(), kill}, {1ms, cancelled(), wait}},
            [](const auto& f) { return f.cancelled; }},
        watch_case{"a_cancel_after_a_kill_is_noted", compiler, {{0ms, with(cpu(100'000)), kill}, {1ms, cancelled(), wait}},
            [](const auto& f) { return f.cpu_limit && f.cancelled; }},
        watch_case{"output_that_is_cut_goes_on", of_program, {{0ms, cut(), wait}}, [](const auto& f) { return !f.output_limit; }},
        watch_case{"output_that_is_cut_ends_it_where_asked", ends_at_output, {{0ms, cut(), kill}, {1ms, cut(), wait}},
            [](const auto& f) { return f.output_limit; }}),
    [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(Usage, LimitWatch,
    ::testing::Values(
        watch_case{"cpu_time_at_its_limit", of_program, {{0ms, with(cpu(100'000)), kill}}, [](const auto& f) { return f.cpu_limit; }},
        watch_case{"no_cpu_time_is_known", of_program, {{0ms, with({}), wait}}, [](const auto& f) { return !f.cpu_limit; }},
        watch_case{"the_kernel_killed_for_memory", of_program, {{0ms, with(oom()), kill}},
            [](const auto& f) { return f.killed_for_memory && !f.cpu_limit; }},
        watch_case{"too_much_that_no_group_counts", of_program, {{0ms, with({.too_much_uncounted = true}), kill}},
            [](const auto& f) { return f.uncounted_limit; }},
        watch_case{"a_full_disk_is_noted_and_stays_noted", of_program,
            {{0ms, with({.disk = disk_usage{.bytes_exhausted = true}}), wait}, {50ms, with({.disk = disk_usage{}}), wait}},
            [](const auto& f) { return f.disk && f.disk->bytes_exhausted; }},
        watch_case{"after_a_kill_usage_is_no_reason_any_more", of_program, {{0ms, with(oom()), kill}, {50ms, with(cpu(100'000)), wait}},
            [](const auto& f) { return f.killed_for_memory && !f.cpu_limit; }}),
    [](const auto& info) { return std::string(info.param.name); });

const std::string no_report = "the sandbox's agent did not report the end of the killed program";
const std::string silent = "the sandbox's agent did not say how the program stands until 30 s after its wall limit";
const std::string silent_compiler = "the sandbox's agent did not say how the compiler stands until 30 s after its wall limit";

INSTANTIATE_TEST_SUITE_P(Clock, LimitWatch,
    ::testing::Values(watch_case{"the_wall_limit_is_the_agents_for_three_seconds", of_program,
                          {{3'999ms, running(), wait}, {4'000ms, running(), kill}}, [](const auto& f) { return f.wall_limit; }},
        watch_case{"a_killed_program_without_a_report_is_given_up_after_ten_seconds", of_program,
            {{4'000ms, running(), kill}, {13'999ms, running(), wait}, {14'000ms, running(), {.give_up = no_report}}},
            [](const auto& f) { return f.wall_limit; }},
        watch_case{"where_the_agent_kills_it_is_waited_for_longer_and_the_limit_is_no_fact", of_program,
            {{4'000ms, needs_agent(), kill}, {33'999ms, needs_agent(), wait}, {34'000ms, needs_agent(), {.give_up = no_report}}},
            [](const auto& f) { return !f.wall_limit; }},
        watch_case{"an_agent_that_never_says_that_it_runs_is_given_up", of_program,
            {{33'999ms, unheard(), wait}, {34'000ms, unheard(), {.kill = true, .give_up = silent}}},
            [](const auto& f) { return !f.wall_limit; }},
        watch_case{"one_that_was_asked_late_is_given_the_same_time", of_program,
            {{34'000ms, unheard(at(20s)), wait}, {50'000ms, unheard(at(20s)), {.kill = true, .give_up = silent}}}},
        watch_case{"a_compiler_of_which_nothing_is_heard_is_lost_not_too_slow", compiler,
            {{33'999ms, unheard(), wait}, {34'000ms, unheard(), {.kill = true, .give_up = silent_compiler}}},
            [](const auto& f) { return !f.wall_limit; }},
        watch_case{"a_compiler_that_runs_too_long", compiler, {{3'999ms, running(), wait}, {4'000ms, running(), kill}},
            [](const auto& f) { return f.wall_limit; }}),
    [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(Log, LimitWatch,
    ::testing::Values(watch_case{"output_that_cannot_be_stored_ends_it", of_program,
                          {{0ms, unstorable(), {.kill = true, .give_up = "its output cannot be stored: the disk is full"}}}},
        watch_case{"what_is_lost_already_stays_lost_for_its_own_reason", of_program, {{0ms, unstorable(true), wait}}}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(LimitWatchUsage, IsWantedAtFirstThenAfterEachPauseAndNotAfterAKill)
{
    limit_watch watch(of_program, at(10ms));
    EXPECT_FALSE(watch.wants_usage(at(9ms)));
    EXPECT_TRUE(watch.wants_usage(at(10ms)));
    watch.look(at(10ms), with(cpu(0)), between);
    EXPECT_FALSE(watch.wants_usage(at(59ms)));
    EXPECT_TRUE(watch.wants_usage(at(60ms)));
    watch.look(at(60ms), running(), between);    // it could not be read: it stays wanted
    EXPECT_TRUE(watch.wants_usage(at(60ms)));
    watch.look(at(61ms), with(oom()), between);
    EXPECT_TRUE(watch.was_killed());
    EXPECT_FALSE(watch.wants_usage(at(500ms)));
}

}    // namespace
}    // namespace caisson

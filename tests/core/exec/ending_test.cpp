#include "core/exec/ending.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace caisson {
namespace {

int exited(int code) { return code << 8; }
int signaled(int number) { return number; }

struct ending_case {
    std::string_view name;
    ending_facts facts;
    execution_status status;
    caisson::verdict verdict;
    std::vector<limit_kind> hit = {};
};

ending_facts facts(int wait_status)
{
    ending_facts made;
    made.wait_status = wait_status;
    return made;
}

template <class Change>
ending_facts facts(int wait_status, Change change)
{
    auto made = facts(wait_status);
    change(made);
    return made;
}

class DecideEnding : public ::testing::TestWithParam<ending_case> { };

TEST_P(DecideEnding, FollowsTheTable)
{
    const auto& c = GetParam();
    execution_limits limits;
    limits.cpu_ms = 100;
    const auto end = decide_ending(c.facts, limits);
    EXPECT_EQ(to_string(end.status), to_string(c.status));
    EXPECT_EQ(to_string(end.verdict), to_string(c.verdict));
    EXPECT_EQ(end.limits_hit, c.hit);
    EXPECT_EQ(end.error.empty(), c.status == execution_status::success);
}

using s = execution_status;
using v = verdict;

INSTANTIATE_TEST_SUITE_P(Cases, DecideEnding,
    ::testing::Values(                                                                       //
        ending_case{"exit_0", facts(exited(0)), s::success, v::exited},                      //
        ending_case{"exit_3", facts(exited(3)), s::failed, v::exited},                       //
        ending_case{"segv", facts(signaled(SIGSEGV)), s::failed, v::signaled},               //
        ending_case{"kill_of_its_own", facts(signaled(SIGKILL)), s::failed, v::signaled},    //
        ending_case{"wall", facts(signaled(SIGTERM), [](auto& f) { f.wall_limit = true; }), s::timeout, v::wall_limit},
        ending_case{"wall_with_exit_0", facts(exited(0), [](auto& f) { f.wall_limit = true; }), s::timeout, v::wall_limit},
        ending_case{"cpu", facts(signaled(SIGKILL), [](auto& f) { f.cpu_limit = true; }), s::timeout, v::cpu_limit},
        ending_case{"oom_of_the_leader", facts(signaled(SIGKILL), [](auto& f) { f.group.oom_kills = 1; }), s::failed, v::memory_limit,
            {limit_kind::memory}},
        ending_case{"oom_of_a_child_only", facts(exited(0), [](auto& f) { f.group.oom_kills = 1; }), s::success, v::exited,
            {limit_kind::memory}},
        ending_case{"oom_of_a_child_and_a_kill_that_came_late",
            facts(exited(0), [](auto& f) { f.killed_for_memory = true; f.group.oom_kills = 1; }), s::success, v::exited,
            {limit_kind::memory}},
        ending_case{"oom_of_a_child_and_another_signal", facts(signaled(SIGTERM), [](auto& f) { f.group.oom_kills = 1; }), s::failed,
            v::signaled, {limit_kind::memory}},
        ending_case{"oom_without_a_report",
            [] {
                ending_facts f;
                f.killed_for_memory = true;
                f.lost = "no report";
                return f;
            }(), s::failed, v::memory_limit, {limit_kind::memory}},
        ending_case{"oom_of_the_whole_sandbox",
            [] {
                ending_facts f;
                f.group.oom_kills = 1;
                f.lost = "the sandbox ended: it needed more memory than it may";
                return f;
            }(), s::failed, v::memory_limit, {limit_kind::memory}},
        ending_case{"the_host_had_no_memory",
            facts(signaled(SIGKILL), [](auto& f) { f.group.oom_kills = 1; f.group.oom_outside = true; }), s::interrupted, v::lost},
        ending_case{"the_host_had_no_memory_for_a_child",
            facts(exited(0), [](auto& f) { f.group.oom_kills = 1; f.group.oom_outside = true; }), s::success, v::exited},
        ending_case{"the_host_had_no_memory_for_the_whole_sandbox",
            [] {
                ending_facts f;
                f.group.oom_kills = 1;
                f.group.oom_outside = f.killed_for_memory = true;
                f.lost = "no report";
                return f;
            }(), s::interrupted, v::lost},
        ending_case{"netlink_where_the_host_had_no_memory", facts(signaled(SIGKILL),
            [](auto& f) {
                f.group.oom_kills = 1;
                f.group.oom_outside = f.uncounted_limit = true;
            }), s::failed, v::memory_limit, {limit_kind::memory}},
        ending_case{"exit_137", facts(exited(137)), s::failed, v::exited},
        ending_case{"file_size_signal", facts(signaled(SIGXFSZ)), s::failed, v::signaled},
        ending_case{"cpu_signal", facts(signaled(SIGXCPU)), s::failed, v::signaled},
        ending_case{"cpu_measured_at_the_end", facts(exited(0), [](auto& f) { f.group.cpu_us = 100'000; }), s::timeout, v::cpu_limit},
        ending_case{"cpu_just_below", facts(exited(0), [](auto& f) { f.group.cpu_us = 99'999; }), s::success, v::exited},
        ending_case{"wall_before_cpu", facts(signaled(SIGTERM),
            [](auto& f) {
                f.wall_limit = true;
                f.group.cpu_us = 100'000;
            }), s::timeout, v::wall_limit},
        ending_case{"memory_before_wall", facts(signaled(SIGKILL),
            [](auto& f) {
                f.wall_limit = true;
                f.group.oom_kills = 1;
            }), s::failed, v::memory_limit, {limit_kind::memory}},
        ending_case{"output_before_memory", facts(signaled(SIGKILL),
            [](auto& f) {
                f.output_limit = f.output_cut = true;
                f.group.oom_kills = 1;
            }), s::failed, v::output_limit, {limit_kind::memory, limit_kind::output}},
        ending_case{"cancel_before_memory", facts(signaled(SIGKILL),
            [](auto& f) {
                f.cancelled = true;
                f.group.oom_kills = 1;
            }), s::cancelled, v::cancelled, {limit_kind::memory}},
        ending_case{"group_killed_for_memory", facts(signaled(SIGKILL), [](auto& f) { f.killed_for_memory = true; }), s::failed,
            v::memory_limit, {limit_kind::memory}},
        ending_case{"killed_for_netlink", facts(signaled(SIGKILL), [](auto& f) { f.uncounted_limit = true; }), s::failed, v::memory_limit,
            {limit_kind::memory}},
        ending_case{"netlink_without_a_report",
            [] {
                ending_facts f;
                f.uncounted_limit = true;
                return f;
            }(), s::failed, v::memory_limit, {limit_kind::memory}},
        ending_case{
            "forks_refused", facts(exited(0), [](auto& f) { f.group.pids_refused = 9; }), s::success, v::exited, {limit_kind::pids}},
        ending_case{
            "disk_full", facts(exited(1), [](auto& f) { f.disk = disk_usage{true, false}; }), s::failed, v::exited, {limit_kind::disk}},
        ending_case{"inodes_used_up", facts(exited(1), [](auto& f) { f.disk = disk_usage{false, true}; }), s::failed, v::exited,
            {limit_kind::inodes}},
        ending_case{"output_cut", facts(exited(0), [](auto& f) { f.output_cut = true; }), s::success, v::exited, {limit_kind::output}},
        ending_case{"output_kill", facts(signaled(SIGKILL), [](auto& f) { f.output_limit = f.output_cut = true; }), s::failed,
            v::output_limit, {limit_kind::output}},
        ending_case{"cancelled", facts(signaled(SIGTERM), [](auto& f) { f.cancelled = true; }), s::cancelled, v::cancelled},
        ending_case{"cancelled_before_the_start",
            [] {
                ending_facts f;
                f.cancelled = true;
                return f;
            }(),
            s::cancelled, v::cancelled},
        ending_case{"wall_limit_without_a_report",
            [] {
                ending_facts f;
                f.wall_limit = true;
                f.lost = "no report";
                return f;
            }(),
            s::timeout, v::wall_limit},
        ending_case{"lost",
            [] {
                ending_facts f;
                f.lost = "the agent is gone";
                return f;
            }(),
            s::interrupted, v::lost},
        ending_case{"not_started",
            [] {
                ending_facts f;
                f.fault = "execve: No such file or directory";
                return f;
            }(),
            s::failed, v::runtime_error}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(EndingError, SaysThatOutputMayBeMissingWhereTheAgentEndedWithTheProgram)
{
    const std::string_view words = "its sandbox did not tell its end, so the last of its output may be missing";
    ending_facts whole;
    whole.group.oom_kills = 1;
    EXPECT_TRUE(decide_ending(whole, {}).error.ends_with(words)) << decide_ending(whole, {}).error;
    const auto told = facts(signaled(SIGKILL), [](auto& f) { f.group.oom_kills = 1; });
    EXPECT_EQ(decide_ending(told, {}).error.find(words), std::string::npos);
}

TEST(EndingError, SaysThatTheHostHadNoMemory)
{
    const auto end = decide_ending(facts(signaled(SIGKILL),
                                       [](auto& f) {
                                           f.group.oom_kills = 1;
                                           f.group.oom_outside = true;
                                           f.lost = "no report";
                                       }),
        {});
    EXPECT_TRUE(end.error.starts_with("the host, or the server's sandboxes together, had no memory left")) << end.error;
}

TEST(UsageSince, SubtractsWhatWasBefore)
{
    const auto now = usage_since({.cpu_us = 700, .memory_peak_bytes = 5, .oom_kills = 3, .oom_outside = true, .pids_refused = 4},
        {.cpu_us = 200, .oom_kills = 1, .pids_refused = 4});
    EXPECT_EQ(now.cpu_us, 500);
    EXPECT_EQ(now.memory_peak_bytes, 5);
    EXPECT_EQ(now.oom_kills, 2);
    EXPECT_TRUE(now.oom_outside);
    EXPECT_EQ(now.pids_refused, 0);
}

TEST(UsageSince, IsNeverBelowZero)
{
    const auto now = usage_since({.cpu_us = 100, .oom_kills = 1, .oom_outside = true}, {.cpu_us = 200, .oom_kills = 2, .pids_refused = 1});
    EXPECT_EQ(now.cpu_us, 0);
    EXPECT_EQ(now.oom_kills, 0);
    EXPECT_FALSE(now.oom_outside);
    EXPECT_EQ(now.pids_refused, 0);
    EXPECT_FALSE(usage_since({}, {.cpu_us = 200}).cpu_us.has_value());
}

TEST(NoteDisk, KeepsWhatWasFullOnce)
{
    std::optional<disk_usage> seen;
    note_disk(seen, std::nullopt);
    EXPECT_FALSE(seen.has_value());
    note_disk(seen, disk_usage{true, false});
    note_disk(seen, disk_usage{false, true});
    note_disk(seen, disk_usage{});
    note_disk(seen, std::nullopt);
    ASSERT_TRUE(seen.has_value());
    EXPECT_TRUE(seen->bytes_exhausted);
    EXPECT_TRUE(seen->inodes_exhausted);
}

}    // namespace
}    // namespace caisson

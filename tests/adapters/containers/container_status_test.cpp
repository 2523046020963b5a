#include "adapters/engine/container_status.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace caisson::docker {
namespace {

container_event event(const char* action, std::map<std::string, std::string> attributes = {})
{
    return {action, "c1", std::move(attributes), 1};
}

result<container_info> look(container_state state, std::int64_t exit_code = 0, bool oom_killed = false)
{
    container_info found;
    found.state = state;
    found.exit_code = exit_code;
    found.oom_killed = oom_killed;
    return found;
}
result<container_info> no_such() { return error{errc::not_found, "No such container"}; }
result<container_info> no_engine() { return error{errc::runtime_unavailable, "connection refused"}; }

struct status_case {
    const char* name;
    std::function<void(container_status&)> happens;
    std::optional<std::string> cause;
    std::int64_t oom_kills = 0;
};

void PrintTo(const status_case& of, std::ostream* out) { *out << of.name; }

class ContainerStatus : public ::testing::TestWithParam<status_case> { };

TEST_P(ContainerStatus, SaysWhyItEnded)
{
    container_status status;
    GetParam().happens(status);
    EXPECT_EQ(status.cause(), GetParam().cause);
    EXPECT_EQ(status.usage().oom_kills, GetParam().oom_kills);
}

using s = container_status;

INSTANTIATE_TEST_SUITE_P(Cases, ContainerStatus,
    ::testing::Values(    //
        status_case{"runs", [](s& it) { it.note_look(look(container_state::running)); }, std::nullopt},
        status_case{"paused", [](s& it) { it.note_look(look(container_state::paused)); }, std::nullopt},
        status_case{"an_engine_that_is_away_says_nothing",
            [](s& it) {
                it.engine_was_lost();
                it.note_look(no_engine());
            },
            std::nullopt},
        status_case{"an_event_alone_says_nothing", [](s& it) { it.note(event("die", {{"exitCode", "137"}})); }, std::nullopt},
        status_case{"agent_exited", [](s& it) { it.note_look(look(container_state::exited, 3)); }, "the agent exited with status 3"},
        status_case{"killed",
            [](s& it) {
                it.note(event("kill", {{"signal", "9"}}));
                it.note(event("die"));
                it.note_look(look(container_state::exited, 137));
            },
            "the container was killed from outside, or by the engine as it stopped (signal 9)"},
        status_case{"stopped_by_the_engines_command",
            [](s& it) {
                it.note(event("kill", {{"signal", "15"}}));
                it.note(event("die"));
                it.note_look(look(container_state::exited, 143));
            },
            "the container was killed from outside, or by the engine as it stopped (signal 15)"},
        status_case{"killed_unseen", [](s& it) { it.note_look(look(container_state::exited, 137)); },
            "the agent was killed by signal 9: the container was killed from outside, or by the engine as it stopped (exit 137)"},
        status_case{"removed",
            [](s& it) {
                it.note(event("kill", {{"signal", "9"}}));
                it.note(event("die"));
                it.note(event("destroy"));
                it.note_look(no_such());
            },
            "the container was removed from outside"},
        status_case{"removed_unseen", [](s& it) { it.note_look(no_such()); }, "the container was removed from outside"},
        status_case{"being_removed",
            [](s& it) {
                it.note(event("kill"));
                it.note_look(look(container_state::removing, 137));
            },
            "the container was removed from outside"},
        status_case{"out_of_memory",
            [](s& it) {
                it.note(event("oom"));
                it.note(event("die"));
                it.note_look(look(container_state::exited, 137, true));
            },
            "the container ran out of memory and its agent was killed", 1},
        status_case{"gvisors_kernel_fails_as_the_host_lacks_memory_for_it",
            [](s& it) {
                it.note_look(look(container_state::exited, 2));
                EXPECT_TRUE(it.may_be_explained_yet());
                it.note(event("oom"));
                it.note_look(look(container_state::exited, 2));
            },
            "the container ran out of memory and its agent was killed", 1},
        status_case{"gvisors_kernel_fails_as_it_gets_no_thread",
            [](s& it) {
                it.note_usage({.pids_refused = 1});
                it.note_look(look(container_state::exited, 2));
                EXPECT_TRUE(it.may_be_explained_yet()) << "by memory";
            },
            "the agent exited with status 2 after the container had met its limit of processes and threads (limits.pids)"},
        status_case{"gvisors_kernel_fails_and_that_it_got_no_thread_is_read_later",
            [](s& it) {
                it.note_look(look(container_state::exited, 2));
                it.note_usage({.pids_refused = 1});
                it.note_look(look(container_state::exited, 2));
            },
            "the agent exited with status 2 after the container had met its limit of processes and threads (limits.pids)"},
        status_case{"gvisors_kernel_fails_for_memory_which_is_told_late_after_a_program_met_the_limit_of_threads",
            [](s& it) {
                it.note_usage({.pids_refused = 1});
                it.note_look(look(container_state::exited, 2));
                it.note(event("oom"));
                it.note_look(look(container_state::exited, 2));
            },
            "the container ran out of memory and its agent was killed", 1},
        status_case{"gvisors_kernel_fails_for_memory_after_a_program_met_the_limit_of_threads",
            [](s& it) {
                it.note_usage({.oom_kills = 1, .pids_refused = 1});
                it.note_look(look(container_state::exited, 2));
            },
            "the container ran out of memory and its agent was killed", 1},
        status_case{"an_agent_that_exits_by_itself_after_a_program_met_the_limit_of_threads",
            [](s& it) {
                it.note_usage({.pids_refused = 1});
                it.note_look(look(container_state::exited, 3));
            },
            "the agent exited with status 3"},
        status_case{"an_agent_that_exits_by_itself_after_a_program_lacked_memory",
            [](s& it) {
                it.note(event("oom"));
                it.note_look(look(container_state::exited, 3));
                EXPECT_FALSE(it.may_be_explained_yet());
            },
            "the agent exited with status 3", 1},
        status_case{"out_of_memory_unseen", [](s& it) { it.note_look(look(container_state::exited, 137, true)); },
            "the container ran out of memory and its agent was killed", 1},
        status_case{"out_of_memory_that_is_told_after_the_end",
            [](s& it) {
                it.note(event("die"));
                it.note_look(look(container_state::exited, 137));
                EXPECT_TRUE(it.may_be_explained_yet());
                it.note(event("oom"));
                EXPECT_TRUE(it.wants_look());
                it.note_look(look(container_state::exited, 137));
                EXPECT_FALSE(it.may_be_explained_yet());
            },
            "the container ran out of memory and its agent was killed", 1},
        status_case{"out_of_memory_that_only_its_group_tells",
            [](s& it) {
                it.note_look(look(container_state::exited, 137));
                it.note_usage({.oom_kills = 1});
                it.note_look(look(container_state::exited, 137));
            },
            "the container ran out of memory and its agent was killed", 1},
        status_case{"a_kill_that_is_told_after_the_end",
            [](s& it) {
                it.note_look(look(container_state::exited, 137));
                it.note(event("kill", {{"signal", "9"}}));
                it.note_look(look(container_state::exited, 137));
                EXPECT_FALSE(it.may_be_explained_yet());
            },
            "the container was killed from outside, or by the engine as it stopped (signal 9)"},
        status_case{"a_program_was_killed_for_memory_unseen", [](s& it) { it.note_look(look(container_state::running, 0, true)); },
            std::nullopt, 1},
        status_case{"a_program_was_killed_for_memory",
            [](s& it) {
                it.note(event("oom"));
                it.note(event("oom"));
                it.note_look(look(container_state::running));
            },
            std::nullopt, 2},
        status_case{"engine_restarted",
            [](s& it) {
                it.engine_was_lost();
                it.note_events_again();
                it.note_look(look(container_state::exited, 255));
            },
            "the engine ended the container when it was restarted (exit 255)"},
        status_case{"engine_restarted_and_kept_it",
            [](s& it) {
                it.engine_was_lost();
                it.note_look(look(container_state::running));
                it.note_look(look(container_state::exited, 1));
            },
            "the agent exited with status 1"},
        status_case{"ended_while_the_engine_is_away", [](s& it) { it.note_gone(no_engine().error()); },
            "the agent ended while the engine was away, which ends its containers when it stops: connection refused"},
        status_case{"killed_by_an_engine_that_is_away_since",
            [](s& it) {
                it.note(event("kill", {{"signal", "15"}}));
                it.note(event("die"));
                it.note_look(no_engine());
                it.note_gone(no_engine().error());
            },
            "the container was killed from outside, or by the engine as it stopped (signal 15)"},
        status_case{"killed_by_an_engine_long_after_a_program_ran_out_of_memory",
            [](s& it) {
                it.note_usage({.oom_kills = 1});
                it.note(event("kill", {{"signal", "15"}}));
                it.note_gone(no_engine().error());
            },
            "the container was killed from outside, or by the engine as it stopped (signal 15)", 1},
        status_case{"out_of_memory_and_the_engine_is_away",
            [](s& it) {
                it.note(event("oom"));
                it.note_gone(no_engine().error());
            },
            "the container ran out of memory and its agent was killed", 1},
        status_case{"removed_and_the_engine_is_away",
            [](s& it) {
                it.note(event("destroy"));
                it.note_gone(no_engine().error());
            },
            "the container was removed from outside"},
        status_case{"what_was_known_stays_when_the_engine_is_away",
            [](s& it) {
                it.note_look(look(container_state::exited, 3));
                it.note_gone(no_engine().error());
            },
            "the agent exited with status 3"},
        status_case{"ended_here",
            [](s& it) {
                it.ended_here();
                it.note(event("kill", {{"signal", "9"}}));
                it.note_look(look(container_state::exited, 137));
            },
            "this server ended the container"},
        status_case{"the_first_cause_stays",
            [](s& it) {
                it.note_look(look(container_state::exited, 3));
                it.note_look(no_such());
            },
            "the agent exited with status 3"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(ContainerStatusLooks, AreWantedWhenSomethingMayHaveHappened)
{
    container_status status;
    EXPECT_TRUE(status.wants_look()) << "nothing is known";
    status.note_look(look(container_state::running));
    EXPECT_FALSE(status.wants_look());
    status.note(event("pause"));
    EXPECT_TRUE(status.is_paused());
    status.note(event("unpause"));
    EXPECT_FALSE(status.is_paused());
    EXPECT_FALSE(status.wants_look());
    status.note(event("die"));
    EXPECT_TRUE(status.wants_look());
    status.note_look(no_engine());
    EXPECT_TRUE(status.wants_look()) << "still unknown";
    status.note_look(look(container_state::running));
    status.note_events_again();
    EXPECT_TRUE(status.wants_look());
}

TEST(ContainerStatusUsage, KeepsTheGreatest)
{
    container_status status;
    status.note_usage({.cpu_us = 10, .memory_peak_bytes = 100, .oom_kills = 1});
    status.note_usage({.cpu_us = 5, .oom_kills = 0});
    status.note_usage({});
    EXPECT_EQ(status.usage().cpu_us, 10);
    EXPECT_EQ(status.usage().memory_peak_bytes, 100);
    EXPECT_EQ(status.usage().oom_kills, 1);
    EXPECT_FALSE(status.usage().pids_peak);
}

}    // namespace
}    // namespace caisson::docker

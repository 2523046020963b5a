#include "adapters/engine/container_end.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace caisson::docker {

namespace {

struct end_case {
    std::string_view name;
    result<container_info> found;
    engine_since engine;
    std::string_view want;
};

void PrintTo(const end_case& which, std::ostream* out) { *out << which.name; }

container_info ended(std::int64_t exit_code) { return {.id = "1", .state = container_state::exited, .exit_code = exit_code}; }

container_info with(container_info of, void (*change)(container_info&))
{
    change(of);
    return of;
}

class ContainerEnd : public ::testing::TestWithParam<end_case> { };

TEST_P(ContainerEnd, HasACause) { EXPECT_EQ(cause_of_end(GetParam().found, GetParam().engine), GetParam().want); }

INSTANTIATE_TEST_SUITE_P(Cases, ContainerEnd,
    ::testing::Values(end_case{"by_itself", ended(1), engine_since::the_same, "the agent exited with status 1"},
        end_case{"killed", ended(137), engine_since::the_same,
            "the agent was killed by signal 9: the container was killed from outside, or by the engine as it stopped (exit 137)"},
        end_case{"crashed", ended(139), engine_since::the_same, "the agent was killed by signal 11"},
        end_case{"removed", error{errc::not_found, "No such container"}, engine_since::the_same, "the container was removed from outside"},
        end_case{"being_removed", with(ended(137), [](auto& it) { it.state = container_state::removing; }), engine_since::the_same,
            "the container was removed from outside"},
        end_case{"out_of_memory", with(ended(137), [](auto& it) { it.oom_killed = true; }), engine_since::the_same,
            "the container ran out of memory and its agent was killed"},
        end_case{"engine_restarted", ended(255), engine_since::another, "the engine ended the container when it was restarted (exit 255)"},
        end_case{"engine_away", error{errc::runtime_unavailable, "refused"}, engine_since::the_same,
            "the agent ended while the engine was away, which ends its containers when it stops: refused"},
        end_case{"engine_says", with(ended(128), [](auto& it) { it.error = "no space left"; }), engine_since::the_same,
            "the engine ended the container: no space left"},
        end_case{"unnoticed", with(ended(0), [](auto& it) { it.pid = 7; }), engine_since::the_same, "the agent ended"}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace

}    // namespace caisson::docker

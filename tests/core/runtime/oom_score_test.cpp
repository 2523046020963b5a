#include "tests/core/runtime/runtime_world.hpp"

#include "adapters/host/host_numbers.hpp"

#include <gtest/gtest.h>

namespace caisson::testing {

namespace {

class OomScore : public ::testing::TestWithParam<runtime_case> {
protected:
    void SetUp() override
    {
        if (const auto reason = cannot_run(GetParam()))
            GTEST_SKIP() << *reason;
    }
};

/// Not of gVisor: there the file is its own kernel's, of which the host's knows nothing.
TEST_P(OomScore, MakesProgramsTheFirstToEndWhereTheHostHasNoMemory)
{
    in_world(GetParam(), [](runtime_world& world) {
        const auto box = world.start();
        const auto outcome = world.run_program(*box, {"/bin/sh", "-c", "read -r score </proc/self/oom_score_adj; echo $score"});
        EXPECT_EQ(outcome.out, std::to_string(sandbox_oom_score_adj) + "\n") << outcome.err;
        world.destroy(*box);
    });
}

INSTANTIATE_TEST_SUITE_P(Runtimes, OomScore,
    ::testing::Values(bubblewrap_root, bubblewrap_by_bwrap, bubblewrap_user, docker_root, docker_over_stdio, process_as_is, process_user),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace

}    // namespace caisson::testing

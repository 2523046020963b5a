#include "adapters/engine/create_warnings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace caisson::docker {
namespace {

using ::testing::HasSubstr;

constexpr const char* no_swap_limit =
    "Your kernel does not support swap limit capabilities or the cgroup is not mounted. Memory limited without swap.";
constexpr const char* no_pids_limit =
    "Your kernel does not support PIDs limit capabilities or the cgroup is not mounted. PIDs limit discarded.";

struct warning_case {
    std::string_view name;
    std::string_view text;
    unsigned lost;
};
void PrintTo(const warning_case& of, std::ostream* out) { *out << of.name; }

class CreateWarning : public ::testing::TestWithParam<warning_case> { };

TEST_P(CreateWarning, TellsWhichLimitIsLost) { EXPECT_EQ(limits_lost_by(GetParam().text), GetParam().lost); }

INSTANTIATE_TEST_SUITE_P(Cases, CreateWarning,
    ::testing::Values(    //
        warning_case{"memory", "Your kernel does not support memory limit capabilities or the cgroup is not mounted. Limitation discarded.",
            container_limit::memory},
        warning_case{"swap", no_swap_limit, container_limit::swap}, warning_case{"pids", no_pids_limit, container_limit::pids},
        warning_case{"cpu", "Your kernel does not support CPU CFS scheduler. CPU period/quota discarded.", container_limit::cpu},
        warning_case{"without_root", "Resource limits are not supported and ignored on cgroups V1 rootless systems", container_limit::all},
        warning_case{
            "swappiness", "Your kernel does not support memory swappiness capabilities or the cgroup is not mounted. Discarded.", 0},
        warning_case{"soft_limit", "Your kernel does not support memory soft limit capabilities or the cgroup is not mounted.", 0},
        warning_case{"oom_kill", "Your kernel does not support OomKillDisable. OomKillDisable discarded.", 0},
        warning_case{"disk_reads",
            "Your kernel does not support BPS Block I/O read limit or the cgroup is not mounted. Block I/O BPS read limit discarded.", 0},
        warning_case{"cgroup_namespace", "Your kernel does not support cgroup namespaces.  Cgroup namespace setting discarded.", 0},
        warning_case{"platform", "The requested image's platform (linux/arm64) does not match the detected host platform (linux/amd64)", 0},
        warning_case{"nothing", "", 0}),
    [](const auto& info) { return std::string(info.param.name); });

/// Keeps what is logged.
class kept_log : public logger {
public:
    void write(log_level, std::string_view, std::initializer_list<log_field> fields) noexcept override
    {
        for (const auto& each : fields)
            lines.emplace_back(each.value.as_string());
    }
    std::vector<std::string> lines;
};

TEST(CreateWarnings, OfALimitThatIsNeededAreAnErrorInTheEnginesWords)
{
    kept_log log;
    create_warnings seen(log);
    const auto done = seen.take({"something harmless", no_pids_limit}, container_limit::all);
    ASSERT_TRUE(done.has_error());
    EXPECT_EQ(done.error().code, errc::runtime_unavailable);
    EXPECT_THAT(done.error().detail, HasSubstr("PIDs limit discarded"));
    EXPECT_EQ(log.lines.size(), 2u);
    EXPECT_TRUE(seen.take({no_pids_limit}, container_limit::all).has_error()) << "each time";
}

TEST(CreateWarnings, OfALimitThatNobodyCountsOnAreLoggedOnce)
{
    kept_log log;
    create_warnings seen(log);
    for (int i = 0; i < 3; ++i)
        EXPECT_TRUE(seen.take({no_swap_limit}, container_limit::all & ~container_limit::swap).has_value());
    EXPECT_EQ(log.lines, std::vector<std::string>{no_swap_limit});
}

TEST(CreateWarnings, ThatNeverRepeatDoNotFillTheMemory)
{
    kept_log log;
    create_warnings seen(log);
    for (int i = 0; i < 200; ++i)
        EXPECT_TRUE(seen.take({"warning " + std::to_string(i)}, container_limit::all).has_value());
    EXPECT_EQ(log.lines.size(), 64u);
}

}    // namespace
}    // namespace caisson::docker

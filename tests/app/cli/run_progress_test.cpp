#include "app/cli/kept_files.hpp"
#include "app/cli/limit_flags.hpp"
#include "app/cli/progress_line.hpp"
#include "app/cli/run_phase.hpp"

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>

#include <functional>

namespace caisson::cli {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

const steady_time begun{};

struct phase_case {
    std::string_view name;
    std::function<void(run_phase&)> happens;
    std::chrono::milliseconds at;
    std::string_view want;
};
class RunPhase : public ::testing::TestWithParam<phase_case> { };

TEST_P(RunPhase, SaysWhatItDoes)
{
    run_phase phase(begun);
    GetParam().happens(phase);
    EXPECT_EQ(phase.line(begun + GetParam().at), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(Cases, RunPhase,
    ::testing::Values(phase_case{"nothing_at_once", [](run_phase&) {}, 500ms, ""},
        phase_case{"waits", [](run_phase&) {}, 1s, "caisson: waiting, 1 s"},
        phase_case{"waits_for_an_image", [](run_phase& one) { one.set_reason("the image a:1 is being pulled: 43 %"); }, 4s,
            "caisson: the image a:1 is being pulled: 43 %, 4 s"},
        phase_case{"has_a_place", [](run_phase& one) { one.set_place(3); }, 4s, "caisson: place 3 in the queue, 4 s"},
        phase_case{"runs", [](run_phase& one) { one.starts(begun + 2s); }, 14s, "caisson: running, 12 s"},
        phase_case{"runs_on",
            [](run_phase& one) {
                one.starts(begun);
                one.starts(begun + 9s);
            },
            10s, "caisson: running, 10 s"},
        phase_case{"printed_just_now", [](run_phase& one) { one.printed(true, begun + 9'500ms); }, 10s, ""},
        phase_case{"printed_a_while_ago",
            [](run_phase& one) {
                one.starts(begun);
                one.printed(true, begun + 9s);
            },
            10s, "caisson: running, 10 s"},
        phase_case{"behind_the_begin_of_a_line", [](run_phase& one) { one.printed(false, begun); }, 60s, ""},
        phase_case{"another_attempt",
            [](run_phase& one) {
                one.set_place(7);
                one.starts(begun + 1s);
                one.waits(begun + 5s);
            },
            7s, "caisson: waiting, 2 s"},
        phase_case{"cancelled",
            [](run_phase& one) {
                one.is_cancelled(begun + 1s);
                one.starts(begun + 2s);
            },
            4s, "caisson: being cancelled, 3 s"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Fitted, CutsTheHeadAndKeepsTheTail)
{
    EXPECT_EQ(fitted("fetching a", " 1 MiB", 40), "fetching a 1 MiB");
    EXPECT_EQ(fitted("fetching a long name", " 1 MiB of 3 MiB", 28), "fetching a l… 1 MiB of 3 MiB");
    EXPECT_EQ(fitted("fetching", " 1 MiB of 3 MiB", 10), "fetching …");
}

struct flag_case {
    std::string_view name;
    std::string_view said;
    std::string_view want;
};
class InFlags : public ::testing::TestWithParam<flag_case> { };

TEST_P(InFlags, NamesFlagAndUnit) { EXPECT_EQ(in_flags(std::string(GetParam().said)), GetParam().want); }

INSTANTIATE_TEST_SUITE_P(Cases, InFlags,
    ::testing::Values(
        flag_case{"time", "limits.wall_ms must be a whole number between 100 and 3600000", "--timeout must be between 100ms and 1h"},
        flag_case{"odd_time", "limits.wall_ms must be a whole number between 1500 and 90000", "--timeout must be between 1500ms and 90s"},
        flag_case{"memory_and_more", "a is wrong; limits.memory_bytes must be a whole number between 16777216 and 17179869184; b too",
            "a is wrong; --memory must be between 16Mi and 16Gi; b too"},
        flag_case{"cpus", "limits.cpus must be a number between 0.01 and 64", "--cpus must be a number of cores between 0.01 and 64"},
        flag_case{"other", "limits.pids must be a whole number between 1 and 2", "limits.pids must be a whole number between 1 and 2"},
        flag_case{"cut", "limits.wall_ms must be a whole number between 1", "limits.wall_ms must be a whole number between 1"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(KeptFiles, AreNamedWithTheCommand)
{
    const auto of = [](std::string_view record) { return kept_files(boost::json::parse(record).as_object(), "exe_1"); };
    EXPECT_EQ(of("{}"), "");
    EXPECT_EQ(of(R"({"artifacts":{"files":0}})"), "");
    EXPECT_EQ(of(R"({"artifacts":{"files":7,"bytes":2048},"files_list":["a","b","c","d","e","f","g"]})"),
        "kept 7 files (2 KiB): a, b, c, d, e and 2 more; to fetch: caisson artifacts get exe_1");
    EXPECT_EQ(of(R"({"artifacts":{"files":1,"bytes":1},"files_list":[7]})"), "kept 1 file (1 B); to fetch: caisson artifacts get exe_1");
}

TEST(KeptFiles, TroubleIsASentenceEach)
{
    const auto record = boost::json::parse(R"({"artifacts":{"files":0,"error":"no room","skipped_files":3,
        "skipped":[{"path":"f","reason":"a FIFO"},9]}})")
                            .as_object();
    EXPECT_THAT(trouble_with_files(record), ElementsAre("files were not collected: no room", "left out: f: a FIFO", "left out: 1 more"));
}

}    // namespace
}    // namespace caisson::cli

#include "tests/core/protocol/agent_session_fixture.hpp"

namespace caisson::protocol {
namespace {

TEST_F(AgentSession, TakesEachSignalOnce)
{
    spawn(1);
    said();
    hear(made(1, signal_order{10, false, false, 1}));
    hear(made(1, signal_order{12, false, false, 2}));
    EXPECT_EQ(said(), "ORDERS1(2)");
    open(2);    // the next server, which says again what it does not know to be taken
    hear(made(1, resume_point{}));
    EXPECT_EQ(said(), "STATE1(1,0-0,0) ORDERS1(2) STARTED1");
    hear(made(1, signal_order{12, false, false, 2}));
    hear(made(1, signal_order{10, false, false, 3}));
    EXPECT_EQ(host.asked, (std::vector<std::string>{"start 1 true", "signal 1 10 leader", "signal 1 12 leader", "signal 1 10 leader"}));
}

TEST_F(AgentSession, RemembersTheEndOfStdin)
{
    spawn(1);
    said();
    hear(made(1, stdin_end{0}));
    EXPECT_EQ(said(), "ORDERS1(0,end)");
    open(2);
    hear(made(1, resume_point{}));
    EXPECT_EQ(said(), "STATE1(1,0-0,0) ORDERS1(0,end) STARTED1");
}

TEST_F(AgentSession, SpeaksTheFirstVersionToAnOldServer)
{
    EXPECT_TRUE(open(2, 1));
    EXPECT_EQ(frames_of(std::string_view(answer).substr(open_marker.size())).at(0).as<hello>().version, 1u);
    spawn(1);
    said();
    hear(made(1, signal_order{10, false, false}));
    hear(made(1, signal_order{10, false, false}));
    hear(made(1, stdin_end{0}));
    EXPECT_EQ(said(), "");
    EXPECT_EQ(host.asked.size(), 3u) << "not counted: each is done";
    EXPECT_FALSE(open(3, 0));
}

/// A number that would spell the marker's first half when the agent says it again.
constexpr std::uint64_t marker_number = 0x6f737369'6163c5ff;

struct far_case {
    std::string_view name;
    kept_frame frame;
};
void PrintTo(const far_case& c, std::ostream* out) { *out << c.name; }

class AgentSessionFar : public AgentSession, public testing::WithParamInterface<far_case> { };

TEST_P(AgentSessionFar, RefusesNumbersThatNoCountReaches)
{
    spawn(1);
    EXPECT_FALSE(hear(GetParam().frame));
}

INSTANTIATE_TEST_SUITE_P(Numbers, AgentSessionFar,
    testing::Values(far_case{"signal_like_the_marker", made(1, signal_order{10, false, false, marker_number})},
        far_case{"signal", made(1, signal_order{10, false, false, std::uint64_t{1} << 56})},
        far_case{"resume_stdout", made(1, resume_point{marker_number, 0, 0})},
        far_case{"resume_stderr", made(1, resume_point{0, marker_number, 0})},
        far_case{"resume_stdin", made(1, resume_point{0, 0, std::uint64_t{1} << 56})},
        far_case{"end_of_stdin", made(1, stdin_end{marker_number})}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(AgentSession, CountsSignalsUpToTheBound)
{
    spawn(1);
    said();
    EXPECT_TRUE(hear(made(1, signal_order{10, false, false, (std::uint64_t{1} << 56) - 1})));
    EXPECT_EQ(said(), "ORDERS1(72057594037927935)");
}

}    // namespace
}    // namespace caisson::protocol

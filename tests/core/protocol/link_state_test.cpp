#include "tests/core/protocol/link_state_fixture.hpp"

#include <cerrno>
#include <fcntl.h>

/// What the server's end says.
namespace caisson::protocol {
namespace {

TEST_F(LinkState, OrdersAStart)
{
    attach();
    at(1).put_file("a", 0644, bytes("x"));
    at(1).put_file("b", 0644, bytes(std::string(max_chunk_bytes + 1, 'b')));
    at(1).input().push(0, bytes("input"));
    EXPECT_EQ(state.find(2), nullptr);
    at(1).spawn(simple(), nullptr);
    const auto second = std::to_string(max_chunk_bytes);
    EXPECT_EQ(batch(), "FILE1(a,0,last) FILE1(b,0) FILE1(b," + second + ",last) SPAWN1(0) STDIN1(0,input) STDIN_EOF1(5)");
    EXPECT_EQ(batch(), "");
}

TEST_F(LinkState, WithoutStdinTheEndComesAtOnce)
{
    attach();
    at(1).spawn(simple(), nullptr);
    EXPECT_EQ(batch(), "SPAWN1(0) STDIN_EOF1(0)");
}

TEST_F(LinkState, StdinMayFollowTheOrderBeforeItIsSent)
{
    attach();
    at(1).spawn(simple(), nullptr);
    at(1).input().push(0, bytes("late"));
    EXPECT_EQ(batch(), "SPAWN1(0) STDIN1(0,late) STDIN_EOF1(4)");
}

TEST_F(LinkState, OpenStdinHasNoEndBeforeItIsSaid)
{
    attach();
    at(1).spawn(simple(true), nullptr);
    EXPECT_EQ(batch(), "SPAWN1(0)");
    at(1).input().push(0, bytes("x"));
    EXPECT_EQ(batch(), "STDIN1(0,x)");
    at(1).input().finish(1);
    EXPECT_EQ(batch(), "STDIN_EOF1(1)");
}

TEST_F(LinkState, StdinWaitsForTheWindow)
{
    attach();
    at(1).spawn(simple(true), nullptr);
    at(1).input().push(0, bytes(std::string(stream_window_bytes + 10, 'i')));
    for (int i = 0; i < 10; ++i)
        batch();
    EXPECT_EQ(batch(), "");
    hear(1, stdin_ack{100, stream_window_bytes + 4});
    EXPECT_EQ(batch(), "STDIN1(1048576,iiii)");
    EXPECT_EQ(sink.stdin_taken, 100u);
}

TEST_F(LinkState, LargeOrdersComeInPartsThatFollowEachOther)
{
    attach();
    auto request = simple();
    request.argv.resize(7, std::string(100'000, 'a'));
    at(1).spawn(request, nullptr);
    recording_sink other;
    state.attach(2, other, std::nullopt);
    at(2).spawn(simple(), nullptr);
    const auto second = std::to_string(max_chunk_bytes);
    const auto third = std::to_string(2 * max_chunk_bytes);
    EXPECT_EQ(batch() + " " + batch(), "SPAWN1(0) SPAWN1(" + second + ") SPAWN1(" + third + ") SPAWN2(0) STDIN_EOF1(0) STDIN_EOF2(0)");
}

TEST_F(LinkState, DescriptorsBeginAWrite)
{
    const auto join = [] {
        std::vector<unique_fd> fds;
        fds.emplace_back(::open("/dev/null", O_WRONLY | O_CLOEXEC));
        return std::make_shared<const std::vector<unique_fd>>(std::move(fds));
    };
    attach();
    recording_sink other;
    state.attach(2, other, std::nullopt);
    at(1).spawn(simple(), join());
    at(2).spawn(simple(), join());
    EXPECT_EQ(batch(), "SPAWN1(0)");
    EXPECT_EQ(descriptors, 1u);
    EXPECT_EQ(batch(), "SPAWN2(0) STDIN_EOF1(0) STDIN_EOF2(0)");
    EXPECT_EQ(descriptors, 1u);
}

TEST_F(LinkState, DescriptorsStayHereWhereTheStreamCannotCarryThem)
{
    state.connected(false);
    attach();
    std::vector<unique_fd> fds;
    fds.emplace_back(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    at(1).spawn(simple(), std::make_shared<const std::vector<unique_fd>>(std::move(fds)));
    EXPECT_EQ(batch(), "SPAWN1(0) STDIN_EOF1(0)");
    EXPECT_EQ(descriptors, 0u);
}

TEST_F(LinkState, OrdersWaitForTheStart)
{
    attach();
    at(1).signal({15, true});
    EXPECT_EQ(batch(), "");
    at(1).spawn(simple(), nullptr);
    EXPECT_EQ(batch(), "SPAWN1(0) SIGNAL1(15) STDIN_EOF1(0)");
    at(1).resize({1, 1});
    at(1).resize({2, 2});
    EXPECT_EQ(batch(), "RESIZE1");
}

TEST_F(LinkState, SaysSignalsUntilTheyAreTaken)
{
    spawned();
    EXPECT_TRUE(at(1).signal({10, false}));
    EXPECT_TRUE(at(1).signal({12, false}));
    EXPECT_EQ(batch(), "SIGNAL1(10) SIGNAL1(12)");
    hear(1, orders_taken{1, false});
    state.connected(true);
    EXPECT_EQ(batch(), "RESUME1(0,0,0) SIGNAL1(12)");
    hear(1, exec_state{exec_phase::running, 0, 0, 0, 0, 0, 1000});
    hear(1, orders_taken{2, false});
    state.connected(true);
    EXPECT_EQ(batch(), "RESUME1(0,0,0)");
}

TEST_F(LinkState, SignalsOfTheNextServerWaitForTheirNumbers)
{
    state.attach(1, sink, resume_point{});
    at(1).signal({15, true});
    EXPECT_EQ(batch(), "RESUME1(0,0,0)");
    hear(1, exec_state{exec_phase::running, 0, 0, 0, 0, 0, 1000});
    EXPECT_EQ(batch(), "");
    hear(1, orders_taken{7, true});
    EXPECT_EQ(batch(), "SIGNAL1(15)");
    EXPECT_TRUE(sink.stdin_ended);
    hear(1, orders_taken{7, true});
    state.connected(true);
    EXPECT_EQ(batch(), "RESUME1(0,0,0) SIGNAL1(15)") << "the 8th is not taken yet";
    hear(1, orders_taken{8, true});
    state.connected(true);
    EXPECT_EQ(batch(), "RESUME1(0,0,0)");
}

TEST_F(LinkState, AnOldAgentGetsSignalsOnceAndNotCounted)
{
    state.connected(true, 1);
    attach();
    at(1).spawn(simple(true), nullptr);
    batch();
    hear(1, started{10, 1});
    at(1).signal({10, false});
    at(1).input().finish_here();
    EXPECT_EQ(batch(), "SIGNAL1(10) STDIN_EOF1(0)");
    EXPECT_TRUE(sink.stdin_ended) << "such an agent does not tell";
    state.connected(true, 1);
    EXPECT_EQ(batch(), "RESUME1(0,0,0)");
}

TEST_F(LinkState, ABoundedNumberOfSignalsWaits)
{
    attach();
    for (int i = 0; i < 64; ++i)
        EXPECT_TRUE(at(1).signal({10, false}));
    EXPECT_FALSE(at(1).signal({10, false}));
    EXPECT_TRUE(at(1).signal({9, false, true})) << "what ends the sandbox is always kept";
}

TEST_F(LinkState, TheLatestSizeIsToldToEachConnection)
{
    spawned();
    at(1).resize({2, 2});
    EXPECT_EQ(batch(), "RESIZE1");
    state.connected(true);
    EXPECT_EQ(batch(), "RESUME1(0,0,0) RESIZE1");
}

TEST_F(LinkState, ResumesAfterADisconnect)
{
    spawned();
    at(1).input().push(0, bytes("abcdef"));
    batch();
    hear(1, stdin_ack{2, 1000});
    output(1, 0, "12345");
    at(1).acknowledge(stream_number::stdout_stream, 3);
    state.connected(true);
    EXPECT_EQ(batch(), "RESUME1(3,0,2)");
    EXPECT_EQ(batch(), "") << "stdin waits for STATE";
    hear(1, exec_state{exec_phase::running, 3, 5, 0, 0, 4, 1000});
    output(1, 3, "45678");
    EXPECT_EQ(sink.out, "12345678");
    EXPECT_EQ(sink.stdin_taken, 4u);
    EXPECT_EQ(batch(), "STDIN1(4,ef)");
}

TEST_F(LinkState, AStateBehindTheLogIsAGap)
{
    state.attach(1, sink, resume_point{0, 0, 0});
    EXPECT_EQ(batch(), "RESUME1(0,0,0)");
    hear(1, exec_state{exec_phase::running, 7, 9, 0, 0, 0, 10});
    EXPECT_EQ(sink.gaps, 7u);
    output(1, 7, "89");
    EXPECT_EQ(sink.out, "89");
}

TEST_F(LinkState, AnOrderThatWasLostIsGivenAgain)
{
    attach();
    at(1).put_file("a", 0644, bytes("x"));
    at(1).spawn(simple(), nullptr);
    at(1).input().push(0, bytes("in"));
    batch();
    state.connected(true);
    EXPECT_EQ(batch(), "RESUME1(0,0,0)");
    hear(1, exec_state{});
    EXPECT_EQ(batch(), "FILE1(a,0,last) SPAWN1(0) STDIN1(0,in) STDIN_EOF1(2)");
    EXPECT_FALSE(sink.unknown);
}

TEST_F(LinkState, AnOrderThatArrivedIsNotGivenAgain)
{
    attach();
    at(1).put_file("a", 0644, bytes("x"));
    at(1).spawn(simple(true), nullptr);
    batch();
    state.connected(true);
    batch();
    hear(1, exec_state{exec_phase::running, 0, 0, 0, 0, 0, 10});
    EXPECT_EQ(batch(), "");
    state.connected(true);
    EXPECT_EQ(batch(), "RESUME1(0,0,0)");
}

TEST_F(LinkState, FilesThatWereCutShortAreSentAgain)
{
    attach();
    at(1).put_file("a", 0644, bytes("x"));
    EXPECT_EQ(batch(), "FILE1(a,0,last)");
    state.connected(true);
    at(1).spawn(simple(), nullptr);
    EXPECT_EQ(batch(), "FILE1(a,0,last) SPAWN1(0) STDIN_EOF1(0)");
}

TEST_F(LinkState, SaysThatAnExecutionIsUnknown)
{
    state.attach(1, sink, resume_point{1, 2, 3});
    EXPECT_EQ(batch(), "RESUME1(1,2,3)");
    hear(1, exec_state{});
    EXPECT_TRUE(sink.unknown);
}

TEST_F(LinkState, ForgetsUntilItIsConfirmed)
{
    spawned();
    state.forget(1);
    EXPECT_EQ(state.find(1), nullptr);
    EXPECT_EQ(batch(), "FORGET1");
    EXPECT_TRUE(output(1, 0, "late")) << "what is under way is ignored";
    EXPECT_TRUE(sink.out.empty());
    state.connected(true);
    EXPECT_EQ(batch(), "FORGET1");
    state.on_frame(bare(frame_type::forgotten, 1).view());
    state.connected(true);
    EXPECT_EQ(batch(), "");
}

TEST_F(LinkState, ShutdownIsSaidOnEveryConnection)
{
    state.shutdown();
    EXPECT_EQ(batch(), "SHUTDOWN");
    EXPECT_EQ(batch(), "");
    state.connected(true);
    EXPECT_EQ(batch(), "SHUTDOWN");
    state.ping();
    EXPECT_EQ(batch(), "PING");
}

TEST_F(LinkState, NothingIsStartedBeforeAKillOfAllIsTaken)
{
    spawned();
    at(1).signal({9, false, true});
    recording_sink other;
    state.attach(2, other, std::nullopt);
    at(2).spawn(simple(), nullptr);
    EXPECT_EQ(batch(), "SIGNAL1(9)");
    state.connected(true);    // before it was heard
    EXPECT_EQ(batch(), "RESUME1(0,0,0) SIGNAL1(9)");
    ASSERT_TRUE(hear(1, exec_state{exec_phase::exited, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(batch(), "");
    hear(1, orders_taken{1, true});
    EXPECT_EQ(batch(), "SPAWN2(0) STDIN_EOF2(0)");
}

TEST_F(LinkState, AKillThatNobodyCanTakeHoldsUpNothing)
{
    state.attach(1, sink, resume_point{});
    at(1).signal({9, false, true});
    recording_sink other;
    state.attach(2, other, std::nullopt);
    at(2).spawn(simple(), nullptr);
    EXPECT_EQ(batch(), "RESUME1(0,0,0)");
    hear(1, exec_state{});
    EXPECT_TRUE(sink.unknown);
    EXPECT_EQ(batch(), "SPAWN2(0) STDIN_EOF2(0)");
}

TEST_F(LinkState, AnAgentThatTellsNoOrdersIsNotWaitedFor)
{
    state.connected(true, first_with_orders - 1);
    spawned();
    at(1).signal({9, false, true});
    recording_sink other;
    state.attach(2, other, std::nullopt);
    at(2).spawn(simple(), nullptr);
    EXPECT_EQ(batch(), "SIGNAL1(9) SPAWN2(0) STDIN_EOF2(0)");
}

struct refusal_case {
    std::string_view name;
    void (*order)(link_execution&);
    std::string_view step;
    int code;
};
void PrintTo(const refusal_case& c, std::ostream* out) { *out << c.name; }

class LinkStateRefusal : public LinkState, public ::testing::WithParamInterface<refusal_case> { };

TEST_P(LinkStateRefusal, IsReportedWithoutTheAgent)
{
    attach();
    GetParam().order(at(1));
    at(1).spawn(simple(), nullptr);
    EXPECT_FALSE(sink.failed.has_value()) << "not from inside of the order";
    EXPECT_EQ(batch(), "");
    ASSERT_TRUE(sink.failed.has_value());
    EXPECT_EQ(sink.failed->first, GetParam().code);
    EXPECT_TRUE(sink.failed->second.starts_with(GetParam().step)) << sink.failed->second;
}

INSTANTIATE_TEST_SUITE_P(Cases, LinkStateRefusal,
    ::testing::Values(
        refusal_case{"path_too_long", [](link_execution& e) { e.put_file(std::string(5000, 'p'), 0644, {}); }, "file ppp", ENAMETOOLONG},
        refusal_case{"path_with_a_marker", [](link_execution& e) { e.put_file(std::string(open_marker), 0644, {}); }, "file ", EINVAL},
        refusal_case{"order_too_large",
            [](link_execution& e) {
                spawn_request request;
                request.argv.resize(20, std::string(100'000, 'a'));
                e.spawn(request, nullptr);
            },
            "spawn", E2BIG},
        refusal_case{"by_the_caller", [](link_execution& e) { e.refuse(EMFILE, "cgroup"); }, "cgroup", EMFILE}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace
}    // namespace caisson::protocol

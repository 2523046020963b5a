#include "tests/core/protocol/agent_session_fixture.hpp"

namespace caisson::protocol {
namespace {

TEST_F(AgentSession, AnswersHello)
{
    EXPECT_TRUE(answer.starts_with(open_marker));
    const auto frames = frames_of(std::string_view(answer).substr(open_marker.size()));
    ASSERT_EQ(frames.size(), 1u);
    EXPECT_EQ(frames[0].as<hello>().nonce, 77u);
    EXPECT_EQ(session.lease_ms(), 1000u);
}

struct epoch_case {
    std::string_view name;
    std::uint64_t epoch;
    std::uint32_t version;
    bool obeyed;
    std::string_view answer;
};
void PrintTo(const epoch_case& c, std::ostream* out) { *out << c.name; }

class AgentSessionEpoch : public AgentSession, public ::testing::WithParamInterface<epoch_case> { };

TEST_P(AgentSessionEpoch, DecidesWhoIsObeyed)
{
    const auto& c = GetParam();
    open(5);
    spawn(1);
    EXPECT_EQ(open(c.epoch, c.version), c.obeyed);
    EXPECT_EQ(words(std::string_view(answer).substr(open_marker.size())), c.answer);
    EXPECT_EQ(said(), c.obeyed ? "" : "STARTED1") << "only a new connection has to resume";
}

INSTANTIATE_TEST_SUITE_P(Cases, AgentSessionEpoch,
    ::testing::Values(epoch_case{"lower", 4, protocol_version, false, "HELLO(5)"},
        epoch_case{"equal", 5, protocol_version, true, "HELLO(5)"}, epoch_case{"higher", 6, protocol_version, true, "HELLO(6)"},
        epoch_case{"other_version", 6, protocol_version + 1, false, "HELLO(5)"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(AgentSession, TellsOfAProgramsLife)
{
    spawn(1);
    EXPECT_EQ(said(), "STARTED1");
    print(1, "abc");
    EXPECT_EQ(said(), "OUTPUT1(0,abc)");
    print(1, "de");
    session.find(1)->output(stream_number::stdout_stream).end();
    EXPECT_EQ(said(), "OUTPUT1(3,de) EOF1(1,5)");
    session.find(1)->output(stream_number::stderr_stream).end();
    session.find(1)->set_exited({});
    EXPECT_EQ(said(), "EOF1(2,0) EXITED1");
    EXPECT_EQ(said(), "");
    hear(bare(frame_type::forget, 1));
    EXPECT_EQ(said(), "FORGOTTEN1");
    EXPECT_EQ(session.find(1), nullptr);
    EXPECT_EQ(host.asked, (std::vector<std::string>{"start 1 true", "forget 1"}));
}

TEST_F(AgentSession, UnderATerminalStderrIsAtItsEnd)
{
    auto request = simple();
    request.pty = spawn_request::size{80, 24};
    spawn(1, request);
    EXPECT_EQ(said(), "STARTED1 EOF1(2,0)");
}

TEST_F(AgentSession, ASpawnIsDoneOnce)
{
    spawn(1);
    print(1, "abc");
    said();
    EXPECT_TRUE(spawn(1));
    EXPECT_EQ(host.asked.size(), 1u);
    EXPECT_EQ(said(), "STATE1(1,0-3,0) ORDERS1(0) STARTED1 OUTPUT1(0,abc)");
}

TEST_F(AgentSession, ASpawnMayComeInParts)
{
    const auto bytes = encode_spawn(simple());
    const auto total = static_cast<std::uint32_t>(bytes.size());
    for (std::uint32_t at = 0; at < total; ++at)
        ASSERT_TRUE(hear(made(1, spawn_chunk{at, total, 0, bytes.substr(at, 1)})));
    EXPECT_EQ(host.asked, (std::vector<std::string>{"start 1 true"}));
}

TEST_F(AgentSession, PartsOutOfOrderBreakTheProtocol)
{
    EXPECT_FALSE(hear(made(1, spawn_chunk{3, 10, 0, "abc"})));
    EXPECT_TRUE(hear(made(1, spawn_chunk{0, 10, 0, "abc"})));
    EXPECT_FALSE(hear(made(2, spawn_chunk{3, 10, 0, "abc"})));
}

TEST_F(AgentSession, AMalformedSpawnFails)
{
    EXPECT_TRUE(hear(made(1, spawn_chunk{0, 3, 0, "abc"})));
    EXPECT_EQ(said(), "ERROR1(spawn)");
}

TEST_F(AgentSession, AFailedStartIsKept)
{
    host.fail_start = ENOENT;
    spawn(1);
    EXPECT_EQ(said(), "ERROR1(execve)");
    open(2);
    hear(made(1, resume_point{}));
    EXPECT_EQ(said(), "STATE1(3,0-0,0) ORDERS1(0) ERROR1(execve)");
}

TEST_F(AgentSession, AFailedFileKeepsTheProgramFromStarting)
{
    host.fail_file = EACCES;
    hear(made(1, file_chunk{0644, 0, true, "a", "x"}));
    EXPECT_EQ(said(), "ERROR1(file a)");
    spawn(1);
    EXPECT_EQ(host.asked, (std::vector<std::string>{"file a x"}));
}

TEST_F(AgentSession, FilesOfAStartedProgramAreNotWrittenAgain)
{
    spawn(1);
    hear(made(1, file_chunk{0644, 0, true, "a", "x"}));
    EXPECT_EQ(host.asked.size(), 1u);
}

struct resumed_case {
    std::string_view name;
    resume_point server;
    std::string_view want;
};
void PrintTo(const resumed_case& c, std::ostream* out) { *out << c.name; }

class AgentSessionResume : public AgentSession, public ::testing::WithParamInterface<resumed_case> { };

/// A program printed "0123456789", of which 4 were acknowledged, and ended; then a new server comes.
TEST_P(AgentSessionResume, SaysAgainWhatTheServerLacks)
{
    spawn(1);
    print(1, "0123456789");
    said();
    hear(made(1, acknowledgement{stream_number::stdout_stream, 4}));
    hear(made(1, stdin_chunk{0, "in"}));
    end(1);
    said();
    session.close();
    EXPECT_EQ(said(), "");
    open(2);
    EXPECT_EQ(said(), "") << "not before it is asked";
    hear(made(1, GetParam().server));
    EXPECT_EQ(said(), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(Cases, AgentSessionResume,
    ::testing::Values(
        resumed_case{"as_acknowledged", {4, 0, 2}, "STATE1(2,4-10,2) ORDERS1(0) STARTED1 EOF1(2,0) EXITED1 OUTPUT1(4,456789) EOF1(1,10)"},
        resumed_case{"committed_more", {9, 0, 2}, "STATE1(2,9-10,2) ORDERS1(0) STARTED1 EOF1(2,0) EXITED1 OUTPUT1(9,9) EOF1(1,10)"},
        resumed_case{"committed_less", {1, 0, 0}, "STATE1(2,4-10,2) ORDERS1(0) STARTED1 EOF1(2,0) EXITED1 OUTPUT1(4,456789) EOF1(1,10)"},
        resumed_case{"committed_all", {10, 0, 2}, "STATE1(2,10-10,2) ORDERS1(0) STARTED1 EOF1(1,10) EOF1(2,0) EXITED1"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(AgentSession, UnknownExecutions)
{
    EXPECT_TRUE(hear(made(9, resume_point{})));
    EXPECT_TRUE(hear(bare(frame_type::forget, 8)));
    EXPECT_TRUE(hear(made(9, signal_order{9, true, false})));
    EXPECT_TRUE(hear(made(9, stdin_chunk{0, "x"})));
    EXPECT_TRUE(hear(made(9, acknowledgement{})));
    EXPECT_EQ(said(), "STATE9(0,0-0,0) FORGOTTEN8");
    EXPECT_TRUE(host.asked.empty());
}

TEST_F(AgentSession, PassesOrdersOn)
{
    spawn(1);
    hear(made(1, signal_order{15, true, false}));
    hear(made(1, signal_order{9, false, false}));
    hear(made(1, resize_order{80, 24}));
    hear(bare(frame_type::ping, 0));
    hear(bare(frame_type::shutdown, 0));
    EXPECT_EQ(
        host.asked, (std::vector<std::string>{"start 1 true", "signal 1 15 group", "signal 1 9 leader", "resize 1 80x24", "shutdown"}));
}

TEST_F(AgentSession, RefusesWhatNoServerSays)
{
    EXPECT_FALSE(hear(made(0, resume_point{})));
    EXPECT_FALSE(hear(made(max_exec_number + 1, resume_point{})));
    EXPECT_FALSE(hear(made(1, started{1, 1})));
    EXPECT_FALSE(hear({frame_type{200}, 1, {}}));
    EXPECT_FALSE(hear(made(1, signal_order{0, true, false})));
    EXPECT_FALSE(hear(made(1, signal_order{65, true, false})));
    EXPECT_FALSE(hear({frame_type::stdin_data, 1, "short"}));
}

TEST_F(AgentSession, KeepsABoundedNumberOfExecutions)
{
    for (exec_number number = 1; number <= agent_session::max_executions; ++number)
        spawn(number);
    said();
    spawn(1000);
    EXPECT_EQ(said(), "ERROR1000(too many executions)");
    EXPECT_EQ(session.executions().size(), agent_session::max_executions);
    hear(bare(frame_type::forget, 1));
    spawn(1001);
    EXPECT_EQ(said(), "FORGOTTEN1 STARTED1001");
}

TEST_F(AgentSession, CutsOffAServerThatNeverReads)
{
    bool fits = true;
    for (int i = 0; i < 100'000 && fits; ++i)
        fits = hear(bare(frame_type::forget, 5));
    EXPECT_FALSE(fits);
}

TEST_F(AgentSession, ExecutionsTakeTurns)
{
    spawn(1);
    spawn(2);
    said();
    print(1, std::string(600'000, 'a'));
    print(2, std::string(600'000, 'b'));
    std::string out;
    session.emit(out, 500'000);
    std::vector<exec_number> order;
    for (const auto& each : frames_of(out))
        order.push_back(each.exec);
    EXPECT_EQ(order, (std::vector<exec_number>{1, 2, 1, 2}));
    out.clear();
    session.emit(out, 1);
    EXPECT_EQ(frames_of(out).at(0).exec, 1u);
}

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

TEST_F(AgentSession, DescriptorsGoToTheSpawnThatCountsThem)
{
    std::vector<unique_fd> fds;
    for (int i = 0; i < 3; ++i)
        fds.emplace_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const int third = fds[2].get();
    session.add_descriptors(std::move(fds));
    const auto bytes = encode_spawn(simple());
    const auto total = static_cast<std::uint32_t>(bytes.size());
    hear(made(1, spawn_chunk{0, total, 2, bytes}));
    ASSERT_EQ(host.joined.size(), 1u);
    EXPECT_EQ(host.joined[0].size(), 2u);
    EXPECT_TRUE(is_open(third));
    hear(made(1, spawn_chunk{0, total, 1, bytes}));
    EXPECT_FALSE(is_open(third)) << "a repeat closes its descriptors";
}

TEST_F(AgentSession, BreakingOffMakesTheServerConnectAnew)
{
    std::string out;
    session.break_off(out);
    EXPECT_FALSE(session.is_open());
    EXPECT_TRUE(out.starts_with(open_marker));
    EXPECT_NE(frames_of(std::string_view(out).substr(open_marker.size())).at(0).as<hello>().nonce, 77u);
    out.clear();
    session.break_off(out);
    EXPECT_TRUE(out.empty());
}

}    // namespace
}    // namespace caisson::protocol

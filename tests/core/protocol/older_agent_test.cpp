#include "tests/core/protocol/fake_agent.hpp"
#include "tests/core/protocol/older_agent_transcript.hpp"
#include "tests/core/protocol/recording_sink.hpp"
#include "tests/support/fake_timers.hpp"
#include "tests/support/run_task.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <span>
#include <sys/resource.h>

/// A sandbox may outlive an upgrade of its server: what an agent of an earlier release says is understood, and what it obeys is said,
/// byte for byte as it was recorded.
namespace caisson::protocol {
namespace {

using namespace std::chrono_literals;
using connection = std::span<const older::recorded_frame>;

std::string recorded_bytes(std::string_view hex)
{
    std::string out;
    for (std::size_t at = 0; at + 1 < hex.size(); at += 2)
        out += static_cast<char>(std::stoi(std::string(hex.substr(at, 2)), nullptr, 16));
    return out;
}

/// HELLO, with the marker before it, has the version, the epoch, then the nonce: the one value that is drawn at random.
constexpr std::size_t nonce_at = open_marker.size() + frame_head_bytes + 4 + 8;
constexpr std::size_t nonce_bytes = 8;

/// The link over a replay of the recorded agent.
class OlderAgent : public ::testing::Test {
protected:
    OlderAgent() : link(make_agent_link(context.get_executor(), time, log, [this] { return connect(this); }, {"test", 1, 3600s}))
    {
        agent.silent = true;
    }
    ~OlderAgent() override
    {
        link->close();
        settle();
    }

    static task<result<std::unique_ptr<byte_stream>>> connect(OlderAgent* self) { co_return std::make_unique<fake_stream>(self->agent); }
    void start(task<result<void>> work, std::string_view what)
    {
        asio::co_spawn(context.get_executor(), std::move(work), [this, what](std::exception_ptr failure, result<void> ended) {
            EXPECT_FALSE(failure) << what;
            EXPECT_TRUE(ended.has_value()) << what;
            ++finished;
        });
        settle();
    }
    /// Lets everything happen that can without time passing.
    void settle()
    {
        context.restart();
        context.poll();
    }

    /// The recorded HELLO of both ends, with the nonce of now.
    void greet(connection recorded)
    {
        auto said = recorded_bytes(recorded[0].hex);
        auto answer = recorded_bytes(recorded[1].hex);
        ASSERT_EQ(agent.heard.size(), said.size());
        const auto nonce = agent.heard.substr(nonce_at, nonce_bytes);
        EXPECT_EQ(agent.heard, said.replace(nonce_at, nonce_bytes, nonce));
        agent.say(answer.replace(nonce_at, nonce_bytes, nonce));
        settle();
    }
    /// Says all that the agent said from the `first` frame on.
    void replay(connection recorded, std::size_t first)
    {
        for (const auto& each : recorded.subspan(first))
            if (each.from == older::speaker::agent)
                agent.say(recorded_bytes(each.hex));
        settle();
    }
    /// That the server said these recorded frames, in any order.
    void expect_heard(connection recorded, std::initializer_list<std::string_view> names)
    {
        for (const auto& each : recorded)
            if (each.from == older::speaker::server && std::ranges::find(names, each.name) != names.end())
                EXPECT_NE(agent.heard.find(recorded_bytes(each.hex)), std::string::npos) << each.name;
    }

    static spawn_request program(std::vector<std::string> argv)
    {
        spawn_request request;
        request.argv = std::move(argv);
        request.env = {{"PATH", "/usr/bin:/bin"}};
        request.cwd = "/tmp/older-agent";
        request.rlimits = {{RLIMIT_NOFILE, 64}};
        request.wall_ms = 60'000;
        request.stdin_open = true;
        return request;
    }
    /// Opens the link, and has it start the recorded program and feed it.
    void begin()
    {
        start(link->open(time.steady_now() + 60s), "open");
        greet(older::first_connection);
        ASSERT_EQ(finished, 1);
        start(link->run(), "run");
        link->attach(1, sink, std::nullopt);
        link->put_file(1, "a.txt", 0644, shared_bytes(std::string("given\n")));
        link->spawn(1, program({"/bin/sh", "-c", std::string(script)}), {});
        link->send_stdin(1, 0, shared_bytes(std::string("word\n")));
        link->end_stdin(1, 5);
        settle();
    }

    static constexpr std::string_view script =
        "trap 'echo heard >&2; exit 3' USR1; cat a.txt; read x; echo $x; while :; do sleep 0.05; done";

    asio::io_context context;
    caisson::testing::fake_timers time{context.get_executor()};
    null_logger log;
    fake_agent agent{context.get_executor()};
    recording_sink sink;
    recording_sink failing;
    recording_sink unknown;
    std::unique_ptr<agent_link> link;
    int finished = 0;
};

TEST_F(OlderAgent, IsToldToStartAProgramInItsOwnWords)
{
    begin();
    expect_heard(older::first_connection, {"file 1", "spawn 1"});
    ASSERT_EQ(older::first_connection[6].name, "started 1");
    agent.say(recorded_bytes(older::first_connection[6].hex));
    settle();
    expect_heard(older::first_connection, {"stdin_data 1", "stdin_eof 1"});
}

TEST_F(OlderAgent, IsHeardUntilItsConnectionBreaks)
{
    begin();
    replay(older::first_connection, 6);
    EXPECT_GT(sink.started.value_or(0), 1);
    EXPECT_GT(sink.started_ns, 0u);
    EXPECT_EQ(sink.out, "given\nword\n");
    EXPECT_EQ(sink.stdin_taken, 5u);
    EXPECT_TRUE(sink.stdin_ended);
    link->acknowledge(1, stream_number::stdout_stream, 6);
    settle();
    expect_heard(older::first_connection, {"ack 1"});
}

TEST_F(OlderAgent, GoesOnOverAnotherConnection)
{
    begin();
    replay(older::first_connection, 6);
    link->acknowledge(1, stream_number::stdout_stream, 6);
    time.advance(10s);
    settle();
    agent.hang_up();
    settle();
    ASSERT_EQ(agent.connections, 2);
    greet(older::second_connection);
    expect_heard(older::second_connection, {"resume 1"});
    link->resize(1, 100, 30);
    link->signal(1, SIGUSR1, agent_link::target::leader);
    link->attach(2, failing, std::nullopt);
    link->spawn(2, program({"/no/such/program"}), {});
    link->attach(9, unknown, resume_point{});
    replay(connection(older::second_connection).subspan(0, 5), 2);
    settle();
    expect_heard(older::second_connection, {"resize 1", "signal 1", "spawn 2", "resume 9"});
    replay(older::second_connection, 5);
    EXPECT_EQ(sink.out, "given\nword\n");
    EXPECT_EQ(sink.err, "heard\n");
    EXPECT_TRUE(sink.complete());
    EXPECT_EQ(sink.exited.value_or(exit_report{}).wait_status, 3 << 8);
    EXPECT_GT(sink.exited.value_or(exit_report{}).wall_us, 0u);
    EXPECT_EQ(failing.failed, std::make_pair(ENOENT, std::string("execve")));
    EXPECT_TRUE(unknown.unknown);
    link->forget(1);
    link->shutdown();
    settle();
    expect_heard(older::second_connection, {"forget 1", "shutdown 0"});
}

TEST_F(OlderAgent, SaysThatAChildWaits)
{
    start(link->open(time.steady_now() + 60s), "open");
    greet(older::first_connection);
    std::optional<bool> parked;
    asio::co_spawn(context.get_executor(), link->park(1, {}, {}, time.steady_now() + 1s),
        [&](std::exception_ptr, result<bool> told) { parked = told.has_value() ? std::optional(*told) : std::nullopt; });
    settle();
    expect_heard(older::first_connection, {"park 1"});
    ASSERT_EQ(older::first_connection[3].name, "parked 0");
    agent.say(recorded_bytes(older::first_connection[3].hex));
    settle();
    EXPECT_EQ(parked, true);
}

}    // namespace
}    // namespace caisson::protocol

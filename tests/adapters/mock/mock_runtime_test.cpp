#include "adapters/mock/mock_runtime.hpp"

#include "core/async/deadline.hpp"
#include "core/protocol/agent_link.hpp"
#include "tests/support/fake_timers.hpp"
#include "tests/support/run_task.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace caisson {

namespace {

using namespace std::chrono_literals;
using caisson::testing::run_task;

/// Keeps what one execution says.
class listener : public protocol::execution_sink {
public:
    void on_started(std::int32_t, std::uint64_t) override { started = true; }
    void on_output(protocol::stream_number stream, std::uint64_t, shared_bytes bytes) override
    {
        (stream == protocol::stream_number::stdout_stream ? out : err) += bytes.view();
    }
    void on_gap(protocol::stream_number, std::uint64_t, std::uint64_t) override { }
    void on_eof(protocol::stream_number, std::uint64_t) override { ++ended; }
    void on_stdin_taken(std::uint64_t) override { }
    void on_exited(protocol::exit_report report) override { exit = report; }
    void on_start_failed(int, std::string step) override { failed = std::move(step); }
    void on_unknown() override { }

    bool started = false;
    std::string out;
    std::string err;
    int ended = 0;
    std::optional<protocol::exit_report> exit;
    std::string failed;
};

/// A mock sandbox with a link to it. Time stands still unless a test moves it.
class MockRuntime : public ::testing::Test {
protected:
    MockRuntime()
    {
        auto created = run_task(context, mock.create({.id = id}));
        box = std::move(*created);
        EXPECT_TRUE(run_task(context, mock.start(*box)).has_value());
        link = protocol::make_agent_link(context.get_executor(), time, log, [this] { return box->connect(); }, {.instance = "test"});
        EXPECT_TRUE(run_task(context, link->open(time.steady_now() + 10s)).has_value());
        tasks.spawn("link", follow());
        link->attach(1, heard, std::nullopt);
    }
    ~MockRuntime() override
    {
        link->close();
        run_task(context, tasks.stop());
        run_task(context, box->destroy());
    }

    task<> follow() { (void)co_await link->run(); }

    void spawn(std::vector<std::string> argv, std::uint64_t wall_ms = 0, bool stdin_open = false)
    {
        link->spawn(1, {.argv = std::move(argv), .cwd = "/", .wall_ms = wall_ms, .stdin_open = stdin_open}, {});
        settle();
    }
    /// Lets everything happen that needs no time. The loop ends: the two ends of a socket pair are both here.
    void settle()
    {
        for (int i = 0; i < 200; ++i)
            context.poll();
    }

    sandbox_id id = *sandbox_id::parse("sbx_01jd2c00000000000000000000");
    asio::io_context context;
    caisson::testing::fake_timers time{context.get_executor()};
    null_logger log;
    mock_runtime mock{context.get_executor(), time, log};
    task_group tasks{context.get_executor(), log};
    std::unique_ptr<sandbox> box;
    std::unique_ptr<protocol::agent_link> link;
    listener heard;
};

TEST_F(MockRuntime, PrintsAndExits)
{
    spawn({"mock", "--stdout", "out", "--stderr", "err", "--exit", "3", "--stdout", "never"});
    EXPECT_EQ(heard.out, "out");
    EXPECT_EQ(heard.err, "err");
    EXPECT_EQ(heard.ended, 2);
    ASSERT_TRUE(heard.exit);
    EXPECT_EQ(heard.exit->wait_status, 3 << 8);
}

TEST_F(MockRuntime, DoesNotStartWhatIsNoScript)
{
    spawn({"/bin/true"});
    EXPECT_EQ(heard.failed, "mock script: the command must be \"mock\"");
}

TEST_F(MockRuntime, HangsUntilItIsSignalled)
{
    spawn({"mock", "--hang"});
    EXPECT_TRUE(heard.started);
    EXPECT_FALSE(heard.exit);
    link->signal(1, SIGINT, protocol::agent_link::target::leader);
    settle();
    ASSERT_TRUE(heard.exit);
    EXPECT_EQ(heard.exit->wait_status, SIGINT);
}

TEST_F(MockRuntime, KeepsTheWallLimit)
{
    spawn({"mock", "--wait-ms", "5000"}, 1000);
    time.advance(999ms);
    settle();
    EXPECT_FALSE(heard.exit);
    time.advance(1ms);
    settle();
    ASSERT_TRUE(heard.exit);
    EXPECT_EQ(heard.exit->cause, protocol::exit_cause::wall_limit);
    EXPECT_EQ(heard.exit->wait_status, SIGTERM);
}

TEST_F(MockRuntime, WaitsAsLongAsItSays)
{
    spawn({"mock", "--wait-ms", "5000", "--stdout", "after"});
    time.advance(4999ms);
    settle();
    EXPECT_EQ(heard.out, "");
    time.advance(1ms);
    settle();
    EXPECT_EQ(heard.out, "after");
    ASSERT_TRUE(heard.exit);
    EXPECT_EQ(heard.exit->wall_us, 5'000'000U);
}

TEST_F(MockRuntime, CopiesStdin)
{
    spawn({"mock", "--cat", "--stdout", "!"}, 0, true);
    link->send_stdin(1, 0, shared_bytes("abc"));
    settle();
    EXPECT_EQ(heard.out, "abc");
    link->end_stdin(1, 3);
    settle();
    EXPECT_EQ(heard.out, "abc!");
    EXPECT_TRUE(heard.exit);
}

TEST_F(MockRuntime, CopiesMoreThanAWindowHoldsAsItIsAcknowledged)
{
    constexpr std::size_t window = 1 << 20;
    const std::string text(3 * window + 7, 'x');
    spawn({"mock", "--cat"}, 0, true);
    link->send_stdin(1, 0, shared_bytes(text));
    link->end_stdin(1, text.size());
    settle();
    EXPECT_EQ(heard.out.size(), window) << "nothing was acknowledged";
    for (int round = 0; round < 10 && !heard.exit; ++round) {
        link->acknowledge(1, protocol::stream_number::stdout_stream, heard.out.size());
        settle();
    }
    EXPECT_EQ(heard.out, text);
    EXPECT_TRUE(heard.exit);
}

TEST_F(MockRuntime, TellsAnOomOnlyInTheGroup)
{
    spawn({"mock", "--oom"});
    ASSERT_TRUE(heard.exit);
    EXPECT_EQ(heard.exit->wait_status, SIGKILL);
    auto group = box->open_group(first_program_group, {});
    ASSERT_TRUE(group.has_value());
    EXPECT_EQ((*group)->usage().oom_kills, 1);
    EXPECT_FALSE(box->disk()->bytes_exhausted);
}

TEST_F(MockRuntime, FillsTheDisk)
{
    spawn({"mock", "--fill-disk"});
    EXPECT_TRUE(box->disk()->bytes_exhausted);
}

TEST_F(MockRuntime, DiesWhenItsScriptSaysSo)
{
    spawn({"mock", "--die"});
    EXPECT_EQ(run_task(context, box->ended()), "the agent was killed by signal 9");
    EXPECT_FALSE(heard.exit);
    EXPECT_TRUE(run_task(context, box->connect()).has_error());
}

TEST_F(MockRuntime, StandsStillWhilePaused)
{
    EXPECT_TRUE(run_task(context, box->pause()).has_value());
    spawn({"mock", "--stdout", "x"});
    EXPECT_EQ(heard.out, "");
    EXPECT_TRUE(run_task(context, box->resume()).has_value());
    settle();
    EXPECT_EQ(heard.out, "x");
}

TEST_F(MockRuntime, FailsWhenItIsToldTo)
{
    mock.fail_next_create(error{errc::runtime_unavailable, "no"});
    const auto other = *sandbox_id::parse("sbx_01jd2c00000000000000000001");
    EXPECT_TRUE(run_task(context, mock.create({.id = other})).has_error());
    auto created = run_task(context, mock.create({.id = other}));
    ASSERT_TRUE(created.has_value()) << "only the next one";
    mock.fail_next_start(error{errc::runtime_unavailable, "no"});
    EXPECT_TRUE(run_task(context, mock.start(**created)).has_error());
    run_task(context, (*created)->destroy());
}

TEST_F(MockRuntime, SurvivesTheContextWithAProgramInIt) { spawn({"mock", "--wait-ms", "5000"}, 9000); }

}    // namespace

}    // namespace caisson

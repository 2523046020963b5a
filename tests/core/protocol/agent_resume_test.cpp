#include "core/protocol/frame.hpp"
#include "tests/core/protocol/agent_link_fixture.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>

/// What survives a server: links that break in the middle, and new servers that take over.
namespace caisson::protocol {
namespace {

class AgentResume : public AgentLink {
protected:
    /// A log as a server keeps it: what is in it was acknowledged, and is what a new server knows.
    struct committed {
        std::string out;
        std::string err;
        resume_point at(std::uint64_t stdin_sent = 0) const { return {out.size(), err.size(), stdin_sent}; }
    };

    /// Commits and acknowledges all but the newest `lag` bytes of what `sink` has of stdout.
    void commit(committed& log_, recording_sink& sink, std::size_t lag)
    {
        const auto end = sink.end_of(stream_number::stdout_stream);
        if (end < log_.out.size() + lag)
            return;
        const auto start = end - sink.out.size();
        log_.out += sink.out.substr(log_.out.size() - start, end - lag - log_.out.size());
        link->acknowledge(1, stream_number::stdout_stream, log_.out.size());
    }
};

TEST_P(AgentResume, NothingIsLostOrDoubledOverManyServers)
{
    constexpr std::size_t size = 20 << 20;
    committed kept;
    auto* sink = &new_sink();
    link->attach(1, *sink, std::nullopt);
    link->spawn(1, shell("seq 1 100000000 | head -c " + std::to_string(size)), {});
    for (std::uint64_t epoch = 2; !sink->complete() && epoch < 60 && !HasFailure(); ++epoch) {
        const auto lag = (epoch % 4) * 100'000;
        const auto target = kept.out.size() + 700'000;
        run_until([&] {
            commit(kept, *sink, lag);
            return kept.out.size() >= target || sink->complete();
        });
        if (sink->complete())
            break;
        close();
        sink = &new_sink(kept.at());
        open(epoch);
        link->attach(1, *sink, kept.at());
    }
    commit(kept, *sink, 0);
    EXPECT_TRUE(kept.out == counted(size));
    ASSERT_TRUE(sink->exited.has_value());
    EXPECT_TRUE(WIFEXITED(sink->exited->wait_status));
    EXPECT_EQ(sink->gaps, 0u);
}

TEST_P(AgentResume, TheSameServerMayComeBackWithTheSameEpoch)
{
    auto& first = new_sink();
    link->attach(1, first, std::nullopt);
    link->spawn(1, shell("echo before; cat; echo after"), {});
    run_until([&] { return first.complete(); });
    close();
    open();
    auto& second = new_sink();
    link->attach(1, second, resume_point{});
    run_until([&] { return second.complete(); });
    EXPECT_EQ(second.out, "before\nafter\n");
    EXPECT_EQ(second.started, first.started);
    EXPECT_EQ(second.exited->wall_us, first.exited->wall_us);
}

TEST_P(AgentResume, StdinGoesOnWhereItWasTaken)
{
    const auto input = counted(3 << 20);
    auto request = shell("cat");
    request.stdin_open = true;
    committed kept;
    auto* sink = &new_sink();
    link->attach(1, *sink, std::nullopt);
    link->spawn(1, std::move(request), {});
    for (std::uint64_t epoch = 2; epoch < 8 && !HasFailure(); ++epoch) {
        link->send_stdin(1, 0, shared_bytes(input));
        const auto taken = std::min<std::uint64_t>(sink->stdin_taken + 200'000, input.size());
        run_until([&] {
            commit(kept, *sink, 0);
            return sink->stdin_taken >= taken;
        });
        close();
        sink = &new_sink(kept.at());
        open(epoch);
        link->attach(1, *sink, kept.at());
    }
    link->send_stdin(1, 0, shared_bytes(input));
    link->end_stdin(1, input.size());
    run_until([&] {
        commit(kept, *sink, 0);
        return sink->complete();
    });
    EXPECT_TRUE(kept.out == input);
}

TEST_P(AgentResume, TheLinkReconnectsByItself)
{
    constexpr std::size_t size = 10 << 20;
    const auto input = counted(size);
    auto& sink = new_sink();
    acknowledge_all(sink, 1);
    link->attach(1, sink, std::nullopt);
    link->send_stdin(1, 0, shared_bytes(input));
    link->spawn(1, shell("cat"), {});
    for (int i = 1; i <= 5 && !HasFailure(); ++i) {
        run_until([&] { return sink.out.size() >= static_cast<std::size_t>(i) * 1'000'000; });
        connection->close();
    }
    run_until([&] { return sink.complete(); });
    EXPECT_TRUE(sink.out == input);
    EXPECT_EQ(sink.gaps, 0u);
    EXPECT_GT(connections, 5);
}

TEST_P(AgentResume, AnOrderThatWasLostIsGivenAgain)
{
    auto& sink = new_sink();
    connection->close();    // the link has not noticed
    link->attach(1, sink, std::nullopt);
    link->put_file(1, "name", 0644, shared_bytes(std::string(1 << 20, 'f')));
    auto request = shell("wc -c <name; cat");
    request.cwd = agent->work();
    link->send_stdin(1, 0, shared_bytes(std::string("input")));
    link->spawn(1, std::move(request), {});
    run_until([&] { return sink.complete(); });
    EXPECT_EQ(sink.out, "1048576\ninput");
}

TEST_P(AgentResume, AnUnknownExecutionIsSaidToBeUnknown)
{
    auto& sink = new_sink();
    link->attach(7, sink, resume_point{});
    run_until([&] { return sink.unknown; });
    EXPECT_FALSE(sink.complete());
}

TEST_P(AgentResume, AForgottenExecutionIsUnknown)
{
    auto& sink = new_sink();
    run_to_end(sink, shell("true"));
    link->forget(1);
    auto& other = new_sink();    // what follows was handled after the FORGET
    link->attach(2, other, std::nullopt);
    link->spawn(2, shell("true"), {});
    run_until([&] { return other.complete(); });
    close();
    open(2);
    auto& again = new_sink();
    link->attach(1, again, resume_point{});
    run_until([&] { return again.unknown; });
}

TEST_P(AgentResume, AFailureIsKeptToo)
{
    auto& first = new_sink();
    auto request = shell("true");
    request.argv = {"/no/such"};
    run_to_end(first, std::move(request));
    close();
    open(2);
    auto& second = new_sink();
    link->attach(1, second, resume_point{});
    run_until([&] { return second.failed.has_value(); });
    EXPECT_EQ(second.failed, first.failed);
}

TEST_P(AgentResume, AGapIsReported)
{
    auto& first = new_sink();
    link->attach(1, first, std::nullopt);
    acknowledge_all(first, 1);
    auto request = shell("echo 12345; read wait; echo 678");
    request.stdin_open = true;
    link->spawn(1, std::move(request), {});
    run_until([&] { return first.out == "12345\n"; });
    auto& other = new_sink();    // what follows was handled after the ACK
    link->attach(2, other, std::nullopt);
    link->spawn(2, shell("true"), {});
    run_until([&] { return other.complete(); });
    close();
    open(2);
    auto& second = new_sink({2, 0, 0});    // a log that lost what it had acknowledged
    link->attach(1, second, resume_point{2, 0, 0});
    link->end_stdin(1, 0);
    run_until([&] { return second.complete(); });
    EXPECT_EQ(second.gaps, 4u);
    EXPECT_EQ(second.out, "678\n");
}

TEST_P(AgentResume, DeadlinesHoldWithoutAServer)
{
    auto& first = new_sink();
    link->attach(1, first, std::nullopt);
    auto request = shell("echo $$; exec sleep 100");
    request.wall_ms = 1'000;
    link->spawn(1, std::move(request), {});
    run_until([&] { return first.out.ends_with('\n'); });
    const auto leader = std::stoi(first.out);
    close();
    run_until([&] { return ::kill(leader, 0) != 0; });
    open(2);
    auto& second = new_sink();
    link->attach(1, second, resume_point{});
    run_until([&] { return second.complete(); });
    EXPECT_EQ(second.exited->cause, exit_cause::wall_limit);
}

TEST_P(AgentResume, TheLeaseEndsAnAbandonedSandbox)
{
    close();
    open(2, std::chrono::milliseconds(1'000));
    auto& sink = new_sink();
    link->attach(1, sink, std::nullopt);
    const auto pid_file = agent->work() + "/pid";
    link->spawn(
        1, shell("(setsid sh -c 'echo $$ >" + pid_file + ".new; mv " + pid_file + ".new " + pid_file + "; sleep 1000' &); sleep 1000"), {});
    run_until([&] { return std::filesystem::exists(pid_file); });
    close();
    EXPECT_TRUE(agent->ends_within(limit));
    pid_t left = 0;
    std::ifstream(pid_file) >> left;
    ASSERT_GT(left, 0);
    EXPECT_EQ(::kill(left, 0), -1) << "a daemon of the program outlived the sandbox";
}

TEST_P(AgentResume, OnlyAStreamThatNobodyCanComeBackToEndsTheSandbox)
{
    close();
    agent->abandon();
    if (GetParam() == agent_process::transport::pipes)
        EXPECT_TRUE(agent->ends_within(limit));
    else
        open(2);    // the listener is still there
}

TEST_P(AgentResume, PingsKeepTheLease)
{
    close();
    open(2, std::chrono::milliseconds(1'000));
    auto& sink = new_sink();
    run_to_end(sink, shell("sleep 2; echo there"));
    EXPECT_EQ(sink.out, "there\n");
}

TEST_P(AgentResume, ShutdownEndsEverything)
{
    auto& sink = new_sink();
    link->attach(1, sink, std::nullopt);
    link->spawn(1, shell("sleep 1000 & echo $!; wait"), {});
    run_until([&] { return !sink.out.empty(); });
    link->shutdown();
    run_until([&] { return sink.exited.has_value(); });
    EXPECT_EQ(sink.exited->cause, exit_cause::shutdown);
    EXPECT_TRUE(agent->ends_within(limit));
    EXPECT_EQ(::kill(std::stoi(sink.out), 0), -1);
}

TEST_P(AgentResume, TheAgentIsGone)
{
    if (GetParam() == agent_process::transport::pipes)
        agent->abandon();
    ::kill(agent->pid(), SIGKILL);
    run_until([&] { return !running; });
    EXPECT_EQ(ended_with, errc::gone);
    link.reset();
}

TEST_P(AgentResume, ALowerEpochIsDropped)
{
    close();
    open(5);
    auto old = make_agent_link(context.get_executor(), time, log, agent->connector(), {"old", 4});
    if (GetParam() == agent_process::transport::unix_socket) {
        const auto refused = caisson::testing::run_task(context, old->open(time.steady_now() + limit));
        ASSERT_TRUE(refused.has_error());
        EXPECT_EQ(refused.error().code, errc::conflict);
    }
    auto& sink = new_sink();    // the newer one is not disturbed
    run_to_end(sink, shell("echo still"));
    EXPECT_EQ(sink.out, "still\n");
}

INSTANTIATE_TEST_SUITE_P(Transports, AgentResume,
    ::testing::Values(agent_process::transport::unix_socket, agent_process::transport::dialled, agent_process::transport::pipes),
    [](const auto& info) { return agent_process::name_of(info.param); });

}    // namespace
}    // namespace caisson::protocol

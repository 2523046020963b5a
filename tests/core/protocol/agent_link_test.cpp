#include "core/protocol/frame.hpp"
#include "tests/core/protocol/agent_link_fixture.hpp"

#include <csignal>
#include <sys/wait.h>

namespace caisson::protocol {
namespace {

std::string counting(std::size_t size) { return "seq 1 100000000 | head -c " + std::to_string(size); }

struct run_case {
    std::string_view name;
    std::string_view script;
    std::string_view input;
    std::string_view out;
    std::string_view err;
    int exit_code;    // negative: the signal
};

constexpr run_case run_cases[] = {
    {"nothing", "true", "", "", "", 0},
    {"echo", "echo hello", "", "hello\n", "", 0},
    {"both_streams", "echo one; echo two >&2", "", "one\n", "two\n", 0},
    {"exit_code", "exit 42", "", "", "", 42},
    {"signal", "kill -KILL $$", "", "", "", -SIGKILL},
    {"stdin", "cat", "some input", "some input", "", 0},
    {"no_stdin", "cat; echo end", "", "end\n", "", 0},
    {"environment", "env | sort", "", "LC_ALL=C\nPATH=/usr/bin:/bin\nPWD=/\n", "", 0},
    {"session_leader", "ps -o sid= -p $$ | tr -d ' ' | grep -qx $$ && echo yes", "", "yes\n", "", 0},
    {"only_stdio", "ls /proc/self/fd | wc -l", "", "4\n", "", 0},
    {"default_signals", "grep -E 'Sig(Blk|Ign)' /proc/self/status | tr -d '\\t'", "", "SigBlk:0000000000000000\nSigIgn:0000000000000000\n",
        "", 0},
    {"umask", "umask", "", "0022\n", "", 0},
    {"no_new_privileges", "grep NoNewPrivs /proc/self/status | tr -d '\\t'", "", "NoNewPrivs:1\n", "", 0},
    {"closes_stdout_early", "exec >&-; echo late >&2", "", "", "late\n", 0},
    {"ignores_its_stdin", "exec <&-; echo on", "lots", "on\n", "", 0},
};

TEST_P(AgentLink, RunsPrograms)
{
    exec_number number = 0;
    for (const auto& c : run_cases) {
        SCOPED_TRACE(c.name);
        ++number;
        auto& sink = new_sink();
        link->attach(number, sink, std::nullopt);
        link->send_stdin(number, 0, shared_bytes(std::string(c.input)));
        link->spawn(number, shell(std::string(c.script)), {});
        ASSERT_TRUE(run_until([&] { return sink.complete(); }));
        link->forget(number);
        EXPECT_EQ(sink.out, c.out);
        EXPECT_EQ(sink.err, c.err);
        ASSERT_TRUE(sink.exited.has_value());
        const int status = sink.exited->wait_status;
        EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), c.exit_code);
        EXPECT_EQ(sink.exited->cause, exit_cause::by_itself);
        EXPECT_GT(sink.started.value_or(0), 0);
        EXPECT_EQ(sink.gaps, 0u);
    }
}

TEST_P(AgentLink, CarriesFiftyMebibytes)
{
    constexpr std::size_t size = 50 << 20;
    auto& sink = new_sink();
    run_to_end(sink, shell(counting(size)));
    EXPECT_TRUE(sink.out == counted(size));
    EXPECT_TRUE(WIFEXITED(sink.exited->wait_status));
}

TEST_P(AgentLink, CarriesBytesThatLookLikeMarkers)
{
    const std::string mark = "\\377\\305caisson-link\\305\\377";
    auto& sink = new_sink();
    run_to_end(sink, shell("for i in $(seq 2000); do printf '" + mark + "'; done; cat"),
        std::string("\xff\xc5"
                    "caisson-link\xc5\xff\xff\xc5"
                    "caisson",
            25));
    std::string want;
    for (int i = 0; i < 2000; ++i)
        want += "\xff\xc5"
                "caisson-link\xc5\xff";
    EXPECT_TRUE(sink.out == want + "\xff\xc5"
                                   "caisson-link\xc5\xff\xff\xc5"
                                   "caisson");
}

TEST_P(AgentLink, CarriesFiveMebibytesOfStdin)
{
    const auto input = counted(5 << 20);
    auto& sink = new_sink();
    run_to_end(sink, shell("cat"), input);
    EXPECT_TRUE(sink.out == input);
    EXPECT_EQ(sink.stdin_taken, input.size());
    EXPECT_EQ(link->stdin_backlog(1), 0u);
}

TEST_P(AgentLink, TakesStdinAfterTheStart)
{
    auto& sink = new_sink();
    auto request = shell("head -n 1; cat");
    request.stdin_open = true;
    link->attach(1, sink, std::nullopt);
    link->spawn(1, std::move(request), {});
    run_until([&] { return sink.started.has_value(); });
    link->send_stdin(1, 0, shared_bytes(std::string("first\n")));
    run_until([&] { return sink.out == "first\n"; });
    link->send_stdin(1, 3, shared_bytes(std::string("st\nsecond\n")));
    link->end_stdin(1, 13);
    run_until([&] { return sink.complete(); });
    EXPECT_EQ(sink.out, "first\nsecond\n");
}

TEST_P(AgentLink, CountsStdinThatNobodyReads)
{
    auto& sink = new_sink();
    run_to_end(sink, shell("exec <&-"), counted(3 << 20));
    run_until([&] { return sink.stdin_taken == 3 << 20; });
    EXPECT_EQ(link->stdin_backlog(1), 0u);
}

TEST_P(AgentLink, AProgramWaitsForAcknowledgements)
{
    constexpr std::size_t size = 4 << 20;
    auto& sink = new_sink();
    link->attach(1, sink, std::nullopt);
    link->spawn(1, shell(counting(size)), {});
    run_until([&] { return sink.out.size() == stream_window_bytes; });
    auto& other = new_sink();    // a whole run later it still waits
    link->attach(2, other, std::nullopt);
    link->spawn(2, shell("true"), {});
    run_until([&] { return other.complete(); });
    EXPECT_EQ(sink.out.size(), stream_window_bytes);
    EXPECT_FALSE(sink.exited.has_value());
    while (!sink.complete() && !HasFailure()) {
        const auto seen = sink.out.size();
        link->acknowledge(1, stream_number::stdout_stream, seen - std::min<std::size_t>(seen, 100'000));
        run_until([&] { return sink.out.size() > seen || sink.complete(); });
    }
    EXPECT_TRUE(sink.out == counted(size));
}

TEST_P(AgentLink, AFullStreamDoesNotStopTheOther)
{
    auto& sink = new_sink();
    link->attach(1, sink, std::nullopt);
    link->spawn(1, shell("yes & echo here >&2; wait"), {});
    run_until([&] { return sink.out.size() == stream_window_bytes && sink.err == "here\n"; });
    link->signal(1, SIGKILL, agent_link::target::group);
    run_until([&] { return sink.exited.has_value(); });
}

TEST_P(AgentLink, ReportsUsage)
{
    auto& sink = new_sink();
    run_to_end(sink, shell("i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"));
    ASSERT_TRUE(sink.exited.has_value());
    EXPECT_GT(sink.exited->user_us, 1'000u);
    EXPECT_GT(sink.exited->wall_us, 0u);
    EXPECT_GT(sink.exited->max_rss_bytes, 100'000u);
}

TEST_P(AgentLink, EndsAtTheWallLimit)
{
    auto& sink = new_sink();
    auto request = shell("sleep 100");
    request.wall_ms = 100;
    run_to_end(sink, std::move(request));
    ASSERT_TRUE(sink.exited.has_value());
    EXPECT_EQ(sink.exited->cause, exit_cause::wall_limit);
    EXPECT_EQ(WTERMSIG(sink.exited->wait_status), SIGTERM);
    EXPECT_GE(sink.exited->wall_us, 99'000u);
}

TEST_P(AgentLink, KillsWhatIgnoresTheWallLimit)
{
    auto& sink = new_sink();
    auto request = shell("trap '' TERM; echo ready; while :; do sleep 0.1; done");
    request.wall_ms = 1'000;
    run_to_end(sink, std::move(request));
    ASSERT_TRUE(sink.exited.has_value());
    EXPECT_EQ(sink.exited->cause, exit_cause::wall_limit);
    EXPECT_EQ(WTERMSIG(sink.exited->wait_status), SIGKILL);
    EXPECT_GE(sink.exited->wall_us, 1'999'000u);
}

TEST_P(AgentLink, AProgramMayHandleTheWallLimit)
{
    auto& sink = new_sink();
    auto request = shell("trap 'echo bye; exit 3' TERM; sleep 100 & wait");
    request.wall_ms = 1'000;
    run_to_end(sink, std::move(request));
    EXPECT_EQ(sink.out, "bye\n");
    EXPECT_EQ(sink.exited->cause, exit_cause::wall_limit);
    EXPECT_EQ(WEXITSTATUS(sink.exited->wait_status), 3);
}

TEST_P(AgentLink, AGrandchildMayHoldStdout)
{
    auto& sink = new_sink();
    link->attach(1, sink, std::nullopt);
    link->spawn(1, shell("(trap '' TERM; while [ ! -e go ]; do sleep 0.02; done; echo late) & echo early"), {});
    run_until([&] { return sink.exited.has_value(); });
    EXPECT_FALSE(sink.out_ended);
    run_until([&] { return sink.out == "early\n"; });
    link->signal(1, SIGKILL, agent_link::target::group);
    run_until([&] { return sink.complete(); });
    EXPECT_EQ(sink.out, "early\n");
}

TEST_P(AgentLink, ADaemonInASessionOfItsOwnIsReachedThroughTheSandbox)
{
    auto& sink = new_sink();
    link->attach(1, sink, std::nullopt);
    link->spawn(1, shell("setsid sh -c 'echo up; exec sleep 1000' & wait $!"), {});
    run_until([&] { return sink.out == "up\n"; });
    link->signal(1, SIGKILL, agent_link::target::group);
    run_until([&] { return sink.exited.has_value(); });
    EXPECT_FALSE(sink.out_ended);    // the daemon holds it
    link->signal(1, SIGKILL, agent_link::target::sandbox);
    run_until([&] { return sink.complete(); });
}

TEST_P(AgentLink, TheWallLimitReachesWhatTheLeaderLeftBehind)
{
    auto& sink = new_sink();
    auto request = shell("(sleep 100) & echo left");
    request.wall_ms = 1'000;
    run_to_end(sink, std::move(request));
    EXPECT_EQ(sink.exited->cause, exit_cause::by_itself);
    EXPECT_EQ(sink.out, "left\n");
}

TEST_P(AgentLink, SignalsTheLeaderOrItsGroup)
{
    auto& leader = new_sink();
    link->attach(1, leader, std::nullopt);
    link->spawn(1, shell("trap 'echo got; exit 0' USR1; echo ready; while :; do sleep 0.02; done"), {});
    run_until([&] { return leader.out == "ready\n"; });
    link->signal(1, SIGUSR1, agent_link::target::leader);
    run_until([&] { return leader.complete(); });
    EXPECT_EQ(leader.out, "ready\ngot\n");

    auto& group = new_sink();
    link->attach(2, group, std::nullopt);
    link->spawn(2, shell("sleep 100 & sleep 100 & echo ready; wait"), {});
    run_until([&] { return group.out == "ready\n"; });
    link->signal(2, SIGTERM, agent_link::target::group);
    run_until([&] { return group.complete(); });
    EXPECT_EQ(WTERMSIG(group.exited->wait_status), SIGTERM);
}

TEST_P(AgentLink, GivesATerminal)
{
    auto& sink = new_sink();
    auto request = shell("tty | sed 's/[0-9]*$//'; stty size; read line; echo \"<$line>\"; stty size; cat; echo done");
    request.pty = spawn_request::size{100, 30};
    request.stdin_open = true;
    request.env.emplace_back("TERM", "xterm");
    link->attach(1, sink, std::nullopt);
    link->spawn(1, std::move(request), {});
    run_until([&] { return sink.out.find("30 100\r\n") != std::string::npos; });
    EXPECT_TRUE(sink.out.starts_with("/dev/pts/\r\n")) << sink.out;
    EXPECT_TRUE(sink.err_ended);
    link->resize(1, 120, 40);
    link->send_stdin(1, 0, shared_bytes(std::string("typed\n")));
    run_until([&] { return sink.out.find("40 120\r\n") != std::string::npos; });
    EXPECT_NE(sink.out.find("<typed>\r\n"), std::string::npos);
    link->send_stdin(1, 6, shared_bytes(std::string("half a line")));
    link->end_stdin(1, 17);
    run_until([&] { return sink.complete(); });
    EXPECT_NE(sink.out.find("done\r\n"), std::string::npos) << sink.out;
    EXPECT_EQ(WEXITSTATUS(sink.exited->wait_status), 0);
}

TEST_P(AgentLink, ATerminalThatNobodyHoldsOpenIsKeptForTheProgram)
{
    auto& sink = new_sink();
    auto request = shell("exec <&- >&- 2>&-; sleep 0.05; echo again >/dev/tty; sleep 0.05; exit 7");
    request.pty = spawn_request::size{80, 24};
    link->attach(1, sink, std::nullopt);
    link->spawn(1, std::move(request), {});
    run_until([&] { return sink.complete(); });
    EXPECT_EQ(sink.out, "again\r\n");
    ASSERT_TRUE(WIFEXITED(sink.exited->wait_status)) << sink.exited->wait_status;
    EXPECT_EQ(WEXITSTATUS(sink.exited->wait_status), 7);
}

TEST_P(AgentLink, RunsManyAtOnce)
{
    constexpr exec_number count = 40;
    for (exec_number number = 1; number <= count; ++number) {
        auto& sink = new_sink();
        link->attach(number, sink, std::nullopt);
        acknowledge_all(sink, number);
        link->send_stdin(number, 0, shared_bytes(std::string(200'000, 'a')));
        link->spawn(number, shell("cat; echo " + std::to_string(number)), {});
    }
    run_until([&] { return std::all_of(sinks.begin(), sinks.end(), [](const auto& each) { return each.complete(); }); });
    for (exec_number number = 1; number <= count; ++number)
        EXPECT_TRUE(sinks[number - 1].out == std::string(200'000, 'a') + std::to_string(number) + "\n") << number;
}

INSTANTIATE_TEST_SUITE_P(Transports, AgentLink,
    ::testing::Values(agent_process::transport::unix_socket, agent_process::transport::dialled, agent_process::transport::pipes),
    [](const auto& info) { return agent_process::name_of(info.param); });

}    // namespace
}    // namespace caisson::protocol

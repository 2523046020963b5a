#include "core/protocol/frame.hpp"
#include "tests/core/protocol/agent_link_fixture.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

namespace caisson::protocol {
namespace {

std::string text_of(const std::filesystem::path& path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// What `seq 1 N` prints, cut after `size` bytes.
std::string counted(std::size_t size)
{
    std::string out;
    out.reserve(size + 20);
    for (int i = 1; out.size() < size; ++i)
        out += std::to_string(i) + "\n";
    out.resize(size);
    return out;
}

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
        recording_sink sink;
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
    recording_sink sink;
    run_to_end(sink, shell(counting(size)));
    EXPECT_TRUE(sink.out == counted(size));
    EXPECT_TRUE(WIFEXITED(sink.exited->wait_status));
}

TEST_P(AgentLink, CarriesBytesThatLookLikeMarkers)
{
    const std::string mark = "\\377\\305caisson-link\\305\\377";
    recording_sink sink;
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
    recording_sink sink;
    run_to_end(sink, shell("cat"), input);
    EXPECT_TRUE(sink.out == input);
    EXPECT_EQ(sink.stdin_taken, input.size());
    EXPECT_EQ(link->stdin_backlog(1), 0u);
}

TEST_P(AgentLink, TakesStdinAfterTheStart)
{
    recording_sink sink;
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
    recording_sink sink;
    run_to_end(sink, shell("exec <&-"), counted(3 << 20));
    run_until([&] { return sink.stdin_taken == 3 << 20; });
    EXPECT_EQ(link->stdin_backlog(1), 0u);
}

TEST_P(AgentLink, AProgramWaitsForAcknowledgements)
{
    constexpr std::size_t size = 4 << 20;
    recording_sink sink;
    link->attach(1, sink, std::nullopt);
    link->spawn(1, shell(counting(size)), {});
    run_until([&] { return sink.out.size() == stream_window_bytes; });
    recording_sink other;    // a whole run later it still waits
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
    recording_sink sink;
    link->attach(1, sink, std::nullopt);
    link->spawn(1, shell("yes & echo here >&2; wait"), {});
    run_until([&] { return sink.out.size() == stream_window_bytes && sink.err == "here\n"; });
    link->signal(1, SIGKILL, agent_link::target::group);
    run_until([&] { return sink.exited.has_value(); });
}

TEST_P(AgentLink, PutsFiles)
{
    recording_sink sink;
    link->attach(1, sink, std::nullopt);
    const auto large = counted(1 << 20);
    link->put_file(1, "a/b/run.sh", 0755, shared_bytes(std::string("#!/bin/sh\ncat a/large; echo ran\n")));
    link->put_file(1, "a/large", 0444, shared_bytes(large));
    link->put_file(1, "empty", 0600, {});
    auto request = shell("exec a/b/run.sh");
    request.cwd = agent->work();
    acknowledge_all(sink, 1);
    link->spawn(1, std::move(request), {});
    run_until([&] { return sink.complete(); });
    EXPECT_TRUE(sink.out == large + "ran\n");
    struct stat about{};
    ASSERT_EQ(::stat((agent->work() + "/a/large").c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 07777, 0444u);
    ASSERT_EQ(::stat((agent->work() + "/empty").c_str(), &about), 0);
    EXPECT_EQ(about.st_size, 0);
}

struct path_case {
    std::string_view name;
    std::string_view path;
    int code;
};

TEST_P(AgentLink, RefusesPathsThatLeadOut)
{
    const auto work = std::filesystem::path(agent->work());
    std::filesystem::create_directory_symlink("/tmp", work / "link");
    std::filesystem::create_directory(work / "dir");
    const std::string over_long = std::string(300, 'n');
    const path_case cases[] = {
        {"up", "../escaped", EINVAL},
        {"up_inside", "dir/../../escaped", EINVAL},
        {"absolute", "/tmp/escaped", EINVAL},
        {"through_a_link", "link/escaped", ENOTDIR},
        {"a_directory", "dir", EISDIR},
        {"empty", "", EINVAL},
        {"dot", "dir/.", EINVAL},
        {"over_long_name", over_long, ENAMETOOLONG},
    };
    exec_number number = 0;
    for (const auto& c : cases) {
        SCOPED_TRACE(c.name);
        ++number;
        recording_sink sink;
        link->attach(number, sink, std::nullopt);
        link->put_file(number, std::string(c.path), 0644, shared_bytes(std::string("x")));
        link->spawn(number, shell("echo ran"), {});
        ASSERT_TRUE(run_until([&] { return sink.failed.has_value(); }));
        EXPECT_EQ(sink.failed->second, "file " + std::string(c.path));
        EXPECT_EQ(sink.failed->first, c.code) << std::strerror(sink.failed->first);
        EXPECT_FALSE(sink.started.has_value());
        link->forget(number);
    }
    EXPECT_FALSE(std::filesystem::exists("/tmp/escaped"));
}

TEST_P(AgentLink, AFileTakesThePlaceOfALink)
{
    const auto work = std::filesystem::path(agent->work());
    std::ofstream(work / "target") << "kept";
    std::filesystem::create_symlink("target", work / "name");
    recording_sink sink;
    link->attach(1, sink, std::nullopt);
    link->put_file(1, "name", 0644, shared_bytes(std::string("new")));
    link->spawn(1, shell("true"), {});
    run_until([&] { return sink.complete(); });
    EXPECT_EQ(text_of(work / "target"), "kept");
    EXPECT_EQ(text_of(work / "name"), "new");
    EXPECT_FALSE(std::filesystem::is_symlink(work / "name"));
}

struct failure_case {
    std::string_view name;
    void (*change)(spawn_request&);
    std::string_view step;
    int code;
};

TEST_P(AgentLink, SaysWhatFailed)
{
    const failure_case cases[] = {
        {"no_such_program", [](spawn_request& r) { r.argv = {"no-such-program"}; }, "execve", ENOENT},
        {"no_such_path", [](spawn_request& r) { r.argv = {"/no/such"}; }, "execve", ENOENT},
        {"a_directory", [](spawn_request& r) { r.argv = {"/usr"}; }, "execve", EACCES},
        {"empty_name", [](spawn_request& r) { r.argv = {""}; }, "execve", ENOENT},
        {"no_such_directory", [](spawn_request& r) { r.cwd = "/no/such"; }, "chdir", ENOENT},
        {"bad_limit", [](spawn_request& r) { r.rlimits = {{999, 1}}; }, "rlimit", EINVAL},
        {"bad_filter", [](spawn_request& r) { r.seccomp_filter = std::string(8, '\xff'); }, "seccomp", EINVAL},
        {"nul_in_an_argument", [](spawn_request& r) { r.argv.push_back(std::string("a\0b", 3)); }, "arguments", EINVAL},
        {"over_long_argument", [](spawn_request& r) { r.argv.push_back(std::string(200'000, 'a')); }, "execve", E2BIG},
        {"too_much_altogether", [](spawn_request& r) { r.argv.resize(20, std::string(100'000, 'a')); }, "spawn", E2BIG},
    };
    exec_number number = 0;
    for (const auto& c : cases) {
        SCOPED_TRACE(c.name);
        ++number;
        recording_sink sink;
        link->attach(number, sink, std::nullopt);
        auto request = shell("true");
        c.change(request);
        link->spawn(number, std::move(request), {});
        ASSERT_TRUE(run_until([&] { return sink.complete(); }));
        ASSERT_TRUE(sink.failed.has_value());
        EXPECT_EQ(sink.failed->second, c.step);
        EXPECT_EQ(sink.failed->first, c.code) << std::strerror(sink.failed->first);
        link->forget(number);
    }
}

TEST_P(AgentLink, PassesLargeArguments)
{
    recording_sink sink;
    auto request = shell("printf '%s\\n' \"$@\" | wc -c");
    request.argv.push_back("sh");
    for (int i = 0; i < 6; ++i)
        request.argv.push_back(std::string(131'000, static_cast<char>('a' + i)));
    run_to_end(sink, std::move(request));
    EXPECT_EQ(sink.out, std::to_string(6 * 131'001) + "\n");
}

TEST_P(AgentLink, FindsProgramsInTheGivenPath)
{
    const auto work = std::filesystem::path(agent->work());
    std::filesystem::create_directories(work / "bin");
    std::filesystem::create_directories(work / "other/tool");    // a directory of the name is passed over
    std::ofstream(work / "bin/tool") << "echo without an interpreter line: $1\n";
    std::filesystem::permissions(work / "bin/tool", std::filesystem::perms::all);
    recording_sink sink;
    auto request = shell("");
    request.argv = {"tool", "x"};
    request.env = {{"PATH", "/no/such:" + (work / "other").string() + ":" + (work / "bin").string()}};
    run_to_end(sink, std::move(request));
    EXPECT_EQ(sink.out, "without an interpreter line: x\n");
}

TEST_P(AgentLink, SetsLimits)
{
    recording_sink sink;
    auto request = shell("ulimit -Sn; ulimit -Hn; ulimit -Hc");
    request.rlimits = {{RLIMIT_NOFILE, 99}, {RLIMIT_CORE, 0}};
    run_to_end(sink, std::move(request));
    EXPECT_EQ(sink.out, "99\n99\n0\n");
}

TEST_P(AgentLink, InstallsTheFilter)
{
    // All system calls are allowed but uname(2) on x86-64, which gets EPERM.
    struct instruction {
        std::uint16_t code;
        std::uint8_t jump_true;
        std::uint8_t jump_false;
        std::uint32_t value;
    };
    const instruction filter[] = {{0x20, 0, 0, 0}, {0x15, 0, 1, 63}, {0x06, 0, 0, 0x00050001}, {0x06, 0, 0, 0x7fff0000}};
    recording_sink sink;
    auto request = shell("uname; echo $?");
    request.seccomp_filter.assign(reinterpret_cast<const char*>(filter), sizeof(filter));
    run_to_end(sink, std::move(request));
    EXPECT_EQ(sink.out, "1\n");
}

TEST_P(AgentLink, ReportsUsage)
{
    recording_sink sink;
    run_to_end(sink, shell("i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"));
    ASSERT_TRUE(sink.exited.has_value());
    EXPECT_GT(sink.exited->user_us, 1'000u);
    EXPECT_GE(sink.exited->wall_us + 1'000, sink.exited->user_us);
    EXPECT_GT(sink.exited->max_rss_bytes, 100'000u);
}

TEST_P(AgentLink, EndsAtTheWallLimit)
{
    recording_sink sink;
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
    recording_sink sink;
    auto request = shell("trap '' TERM; echo ready; while :; do sleep 0.1; done");
    request.wall_ms = 300;
    run_to_end(sink, std::move(request));
    ASSERT_TRUE(sink.exited.has_value());
    EXPECT_EQ(sink.exited->cause, exit_cause::wall_limit);
    EXPECT_EQ(WTERMSIG(sink.exited->wait_status), SIGKILL);
    EXPECT_GE(sink.exited->wall_us, 1'299'000u);
}

TEST_P(AgentLink, AProgramMayHandleTheWallLimit)
{
    recording_sink sink;
    auto request = shell("trap 'echo bye; exit 3' TERM; sleep 100 & wait");
    request.wall_ms = 300;
    run_to_end(sink, std::move(request));
    EXPECT_EQ(sink.out, "bye\n");
    EXPECT_EQ(sink.exited->cause, exit_cause::wall_limit);
    EXPECT_EQ(WEXITSTATUS(sink.exited->wait_status), 3);
}

TEST_P(AgentLink, AGrandchildMayHoldStdout)
{
    recording_sink sink;
    link->attach(1, sink, std::nullopt);
    link->spawn(1, shell("(trap '' TERM; while [ ! -e go ]; do sleep 0.02; done; echo late) & echo early"), {});
    run_until([&] { return sink.exited.has_value(); });
    EXPECT_FALSE(sink.out_ended);
    run_until([&] { return sink.out == "early\n"; });
    link->signal(1, SIGKILL, agent_link::target::group);
    run_until([&] { return sink.complete(); });
    EXPECT_EQ(sink.out, "early\n");
}

TEST_P(AgentLink, TheWallLimitReachesWhatTheLeaderLeftBehind)
{
    recording_sink sink;
    auto request = shell("(sleep 100) & echo left");
    request.wall_ms = 400;
    run_to_end(sink, std::move(request));
    EXPECT_EQ(sink.exited->cause, exit_cause::by_itself);
    EXPECT_EQ(sink.out, "left\n");
}

TEST_P(AgentLink, SignalsTheLeaderOrItsGroup)
{
    recording_sink leader;
    link->attach(1, leader, std::nullopt);
    link->spawn(1, shell("trap 'echo got; exit 0' USR1; echo ready; while :; do sleep 0.02; done"), {});
    run_until([&] { return leader.out == "ready\n"; });
    link->signal(1, SIGUSR1, agent_link::target::leader);
    run_until([&] { return leader.complete(); });
    EXPECT_EQ(leader.out, "ready\ngot\n");

    recording_sink group;
    link->attach(2, group, std::nullopt);
    link->spawn(2, shell("sleep 100 & sleep 100 & echo ready; wait"), {});
    run_until([&] { return group.out == "ready\n"; });
    link->signal(2, SIGTERM, agent_link::target::group);
    run_until([&] { return group.complete(); });
    EXPECT_EQ(WTERMSIG(group.exited->wait_status), SIGTERM);
}

TEST_P(AgentLink, GivesATerminal)
{
    recording_sink sink;
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

TEST_P(AgentLink, RunsManyAtOnce)
{
    constexpr exec_number count = 40;
    std::vector<std::unique_ptr<recording_sink>> sinks;
    for (exec_number number = 1; number <= count; ++number) {
        sinks.push_back(std::make_unique<recording_sink>());
        link->attach(number, *sinks.back(), std::nullopt);
        acknowledge_all(*sinks.back(), number);
        link->send_stdin(number, 0, shared_bytes(std::string(200'000, 'a')));
        link->spawn(number, shell("cat; echo " + std::to_string(number)), {});
    }
    run_until([&] { return std::all_of(sinks.begin(), sinks.end(), [](const auto& each) { return each->complete(); }); });
    for (exec_number number = 1; number <= count; ++number)
        EXPECT_TRUE(sinks[number - 1]->out == std::string(200'000, 'a') + std::to_string(number) + "\n") << number;
}

INSTANTIATE_TEST_SUITE_P(Transports, AgentLink, ::testing::Values(agent_process::transport::unix_socket, agent_process::transport::pipes),
    [](const auto& info) { return info.param == agent_process::transport::unix_socket ? "unix_socket" : "pipes"; });

}    // namespace
}    // namespace caisson::protocol

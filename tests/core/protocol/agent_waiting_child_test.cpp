#include "tests/core/protocol/parking_fixture.hpp"

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <regex>
#include <sys/resource.h>
#include <sys/syscall.h>

/// Bare children, which wait for whatever program is asked for: nothing but its number tells that program from one that was started cold.
namespace caisson::protocol {
namespace {

class AgentWaitingChild : public ParkingLink {
protected:
    bool park(exec_number number = 1, std::vector<int> join = {}, std::string filter = {})
    {
        renew();
        park_request bare;
        bare.program.seccomp_filter = std::move(filter);
        const auto parked = ask(number, std::move(bare), std::move(join));
        return parked.has_value() && *parked;
    }
    /// Started by an agent in which nothing waits.
    recording_sink& cold(spawn_request request, std::string input = {})
    {
        renew();
        open(2);
        auto& sink = new_sink();
        run_to_end(sink, std::move(request), std::move(input));
        return sink;
    }
    /// Started by one in which a child does, which must have become it unless it failed.
    recording_sink& warm(spawn_request request, std::string input = {})
    {
        EXPECT_TRUE(park(1, {}, request.seccomp_filter) || park()) << "what the kernel refuses is tried again by the program's start";
        const auto waiting = child_of_agent();
        auto& sink = new_sink();
        run_to_end(sink, std::move(request), std::move(input));
        EXPECT_FALSE(sink.was_parked) << "that is said of interpreters";
        if (sink.started)
            EXPECT_EQ(*sink.started, waiting);
        return sink;
    }
};

TEST_P(AgentWaitingChild, BecomesItsProgram)
{
    ASSERT_TRUE(park());
    const auto waiting = child_of_agent();
    ASSERT_GT(waiting, 0);
    auto& sink = new_sink();
    run_to_end(sink, shell("cat; echo late >&2; exit 5"), "from stdin\n");
    EXPECT_EQ(sink.started, waiting);
    EXPECT_FALSE(sink.was_parked);
    EXPECT_EQ(sink.out, "from stdin\n");
    EXPECT_EQ(sink.err, "late\n");
    ASSERT_TRUE(sink.exited.has_value());
    EXPECT_EQ(sink.exited->wait_status, 5 << 8);
    EXPECT_LT(sink.exited->wall_us, 30'000'000u);
    auto& next = new_sink();
    run_to_end(next, shell("echo next"), {}, {}, 2);
    EXPECT_EQ(next.out, "next\n");
}

TEST_P(AgentWaitingChild, AProgramWithAnotherFilterIsStartedCold)
{
    constexpr std::string_view allow_all("\x06\0\0\0\0\0\xff\x7f", 8);
    for (const bool parked_with : {false, true}) {
        auto request = shell("grep Seccomp_filters: /proc/self/status");
        request.seccomp_filter = parked_with ? "" : allow_all;
        const auto& expected = cold(request);
        ASSERT_TRUE(park(1, {}, std::string(parked_with ? allow_all : "")));
        const auto waiting = child_of_agent();
        auto& sink = new_sink();
        run_to_end(sink, std::move(request));
        EXPECT_EQ(sink.out, expected.out);
        EXPECT_NE(sink.started, waiting);
        EXPECT_EQ(child_of_agent(), 0) << "what waited is gone";
    }
}

TEST_P(AgentWaitingChild, HasLimitsThatItsFilterWouldNotLetItSet)
{
    renew();
    park_request bare;
    bare.program.rlimits = {{RLIMIT_CORE, 1}};
    const auto parked = ask(1, std::move(bare), {});
    ASSERT_TRUE(parked.has_value() && *parked);
    std::ifstream in("/proc/" + std::to_string(child_of_agent()) + "/limits");
    const std::string limits(std::istreambuf_iterator<char>(in), {});
    EXPECT_THAT(limits, ::testing::ContainsRegex("Max core file size +1 +1 "));
}

TEST_P(AgentWaitingChild, JoinsItsGroupsWhenItIsParked)
{
    if (GetParam() == agent_process::transport::pipes)
        return;    // they carry no descriptors
    const fake_group first;
    const fake_group second;
    const fake_group unused;
    ASSERT_TRUE(park(1, {first.get(), second.get()}));
    EXPECT_EQ(first.text() + second.text(), "00");
    auto& sink = new_sink();
    run_to_end(sink, shell("echo ran"), {}, {unused.get()});
    EXPECT_EQ(sink.out, "ran\n");
    EXPECT_EQ(unused.text(), "");
}

TEST_P(AgentWaitingChild, CannotWaitOutsideItsGroups)
{
    if (GetParam() == agent_process::transport::pipes)
        return;
    const unique_fd unwritable(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    EXPECT_FALSE(park(1, {unwritable.get()}));
    EXPECT_EQ(child_of_agent(), 0);
    auto& sink = new_sink();
    run_to_end(sink, shell("echo fine"));
    EXPECT_EQ(sink.out, "fine\n");
}

/// All that a shell can tell of how it was started, but for numbers of processes.
constexpr std::string_view looks_around = R"sh(
echo "$0" "$#" "$@"; pwd; umask; env | sort; ls /proc/self/fd | wc -l
set -- $(cat /proc/$$/stat); echo "session $(( $6 == $$ )) group $(( $5 == $$ )) nice ${19} terminal $(( $7 != 0 ))"
grep -E '^(SigBlk|SigIgn|SigCgt|Cap|NoNewPrivs|Seccomp|Threads|Groups|Uid|Gid|TracerPid)' /proc/self/status
cat /proc/$$/limits /proc/$$/cgroup /proc/$$/oom_score_adj; tr '\0' ' ' < /proc/$$/cmdline; readlink /proc/$$/exe
[ $PPID = "$(sed -n 's/^PPid:\t//p' /proc/$$/status)" ] && sed 's/(.*)//' /proc/$PPID/comm
for each in 0 1 2; do readlink /proc/$$/fd/$each | sed 's/[0-9]*\]$//'; done
[ -t 0 ] && stty -a < /dev/tty; cat; echo said >&2; exit 3
)sh";

struct start_case {
    std::string_view name;
    void (*change)(spawn_request&);
};
constexpr start_case starts[] = {
    {"plain", [](spawn_request&) {}},
    {"arguments", [](spawn_request& r) { r.argv.insert(r.argv.end(), {"name", "", "two words", "\xff\xfe", "ü"}); }},
    {"environment", [](spawn_request& r) { r.env = {{"PATH", "/usr/bin:/bin"}, {"EMPTY", ""}, {"LINES", "a\nb"}}; }},
    {"no_path",
        [](spawn_request& r) {
            r.env = {{"A", "b"}};
            r.argv[0] = "sh";
        }},
    {"directory", [](spawn_request& r) { r.cwd = "/usr/lib"; }},
    {"limits", [](spawn_request& r) { r.rlimits = {{RLIMIT_NOFILE, 77}, {RLIMIT_CORE, 1}, {RLIMIT_CPU, 9}, {RLIMIT_STACK, 1 << 20}}; }},
    {"filter", [](spawn_request& r) { r.seccomp_filter.assign("\x06\0\0\0\0\0\xff\x7f", 8); }},
    {"terminal", [](spawn_request& r) { r.pty = spawn_request::size{91, 17}; }},
    {"signalled", [](spawn_request& r) { r.argv = {"/bin/sh", "-c", "kill -TERM $$; echo not here"}; }},
    {"large_arguments",
        [](spawn_request& r) {
            r.argv.resize(9, std::string(100'000, 'x'));
            r.argv[2] = "echo $# $5 | wc -c";
        }},
    {"no_such_program", [](spawn_request& r) { r.argv = {"no-such-program"}; }},
    {"no_such_path", [](spawn_request& r) { r.argv = {"/no/such"}; }},
    {"a_directory", [](spawn_request& r) { r.argv = {"/usr"}; }},
    {"empty_name", [](spawn_request& r) { r.argv = {""}; }},
    {"no_such_directory", [](spawn_request& r) { r.cwd = "/no/such"; }},
    {"bad_limit", [](spawn_request& r) { r.rlimits = {{999, 1}}; }},
    {"bad_filter", [](spawn_request& r) { r.seccomp_filter = std::string(8, '\xff'); }},
    {"nul_in_an_argument", [](spawn_request& r) { r.argv.push_back(std::string("a\0b", 3)); }},
    {"over_long_argument", [](spawn_request& r) { r.argv.push_back(std::string(200'000, 'a')); }},
};

/// The host gives them to whoever asks first.
std::string without_terminal_numbers(const std::string& text)
{
    return std::regex_replace(text, std::regex("/dev/pts/[0-9]+"), "/dev/pts/N");
}

TEST_P(AgentWaitingChild, IsWhatAColdStartGives)
{
    for (const auto& c : starts) {
        SCOPED_TRACE(c.name);
        auto request = shell(std::string(looks_around));
        c.change(request);
        const std::string input = request.pty ? "" : "given\nmore";    // when a terminal echoes is a matter of chance
        const auto& expected = cold(request, input);
        const auto& got = warm(request, input);
        EXPECT_EQ(without_terminal_numbers(got.out), without_terminal_numbers(expected.out));
        EXPECT_EQ(got.err, expected.err);
        EXPECT_EQ(got.failed, expected.failed);
        ASSERT_EQ(got.exited.has_value(), expected.exited.has_value());
        EXPECT_TRUE(!got.exited || got.exited->wait_status == expected.exited->wait_status);
        EXPECT_EQ(child_of_agent(), 0) << "it left something behind";
    }
}

TEST_P(AgentWaitingChild, TellsOfScriptsAsAColdStartDoes)
{
    const std::string folder = agent->work() + "-scripts";
    std::filesystem::create_directory(folder);
    const std::pair<std::string, std::string> scripts[] = {
        {"no_interpreter", "#!/no/such/interpreter\n"}, {"without_a_line", "echo without\n"}, {"not_executable", "#!/bin/sh\necho ran\n"}};
    for (const auto& [name, text] : scripts) {
        SCOPED_TRACE(name);
        const auto path = folder + "/" + name;
        std::ofstream(path) << text;
        std::filesystem::permissions(path, std::filesystem::perms(name == "not_executable" ? 0644 : 0755));
        auto request = shell("");
        request.argv = {path};
        const auto& expected = cold(request);
        const auto& got = warm(request);
        EXPECT_EQ(got.failed, expected.failed);
        EXPECT_EQ(got.out, expected.out);
        EXPECT_NE(got.failed.has_value(), got.exited.has_value());
    }
    std::filesystem::remove_all(folder);
}

/// What is in its groups may run out of memory: who shares the agent's memory must not be among it.
TEST_P(AgentWaitingChild, EndsWhenAnotherProgramIsStartedBesideIt)
{
    ASSERT_TRUE(park(7));
    const auto waiting = child_of_agent();
    auto& other = new_sink();
    run_to_end(other, shell("kill -0 " + std::to_string(waiting) + " 2>&- || echo gone; sleep 0.01 & echo other"), {}, {}, 1);
    EXPECT_EQ(other.out, "gone\nother\n");
    EXPECT_NE(other.started, waiting);
    auto& sink = new_sink();
    run_to_end(sink, shell("echo mine"), {}, {}, 7);
    EXPECT_NE(sink.started, waiting);
    EXPECT_EQ(sink.out, "mine\n");
}

TEST_P(AgentWaitingChild, IsOfNoUseToTheExecutionOnceItIsKilled)
{
    for (const int signal : {SIGKILL, SIGTERM, SIGQUIT, SIGSEGV}) {    // by some of which others go that are in the same memory
        SCOPED_TRACE(signal);
        ASSERT_TRUE(park());
        ASSERT_EQ(::kill(child_of_agent(), signal), 0);
        auto& sink = new_sink();
        run_to_end(sink, shell("echo fine"));
        EXPECT_EQ(sink.out, "fine\n");
    }
}

TEST_P(AgentWaitingChild, WaitsInTheAgentsMemory)
{
    ASSERT_TRUE(park());
    constexpr long of_memory = 1;    // KCMP_VM of kcmp(2)
    EXPECT_EQ(::syscall(SYS_kcmp, child_of_agent(), agent->pid(), of_memory, 0, 0), 0);
}

TEST_P(AgentWaitingChild, EndsWithEverybodyElse)
{
    ASSERT_TRUE(park());
    const auto waiting = child_of_agent();
    auto& other = new_sink();
    link->attach(2, other, std::nullopt);
    acknowledge_all(other, 2);
    auto sleeper = shell("");
    sleeper.argv = {"sleep", "100"};
    link->spawn(2, std::move(sleeper), {});
    run_until([&] { return other.started.has_value(); });
    EXPECT_TRUE(link->signal(2, SIGKILL, agent_link::target::sandbox));
    run_until([&] { return other.complete(); });
    auto& sink = new_sink();
    run_to_end(sink, shell("echo fine"));
    EXPECT_EQ(sink.out, "fine\n");
    EXPECT_NE(sink.started, waiting);
}

TEST_P(AgentWaitingChild, OutlivesConnectionsAndServers)
{
    ASSERT_TRUE(park());
    const auto waiting = child_of_agent();
    if (GetParam() != agent_process::transport::pipes) {
        const int before = connections;
        connection->close();
        run_until([&] { return connections > before; });
    }
    close();
    open(100);
    auto& sink = new_sink();
    run_to_end(sink, shell("echo by the next"));
    EXPECT_EQ(sink.started, waiting);
    EXPECT_EQ(sink.out, "by the next\n");
}

TEST_P(AgentWaitingChild, EndsWithItsAgent)
{
    ASSERT_TRUE(park());
    const unique_fd waiting(static_cast<int>(::syscall(SYS_pidfd_open, child_of_agent(), 0)));
    ASSERT_TRUE(waiting);
    ASSERT_EQ(::kill(agent->pid(), SIGKILL), 0);
    pollfd ended{waiting.get(), POLLIN, 0};
    EXPECT_EQ(::poll(&ended, 1, 30'000), 1);
}

TEST_P(AgentWaitingChild, HoldsNothingOpenButItsSocket)
{
    ASSERT_TRUE(park());
    const auto folder = "/proc/" + std::to_string(child_of_agent()) + "/fd";
    std::size_t count = 0;
    for (const auto& each : std::filesystem::directory_iterator(folder))
        count += each.path().filename().string().size();
    EXPECT_EQ(count, 4u) << "0 to 3";
}

INSTANTIATE_TEST_SUITE_P(Transports, AgentWaitingChild,
    ::testing::Values(agent_process::transport::unix_socket, agent_process::transport::dialled, agent_process::transport::pipes),
    [](const auto& info) { return agent_process::name_of(info.param); });

}    // namespace
}    // namespace caisson::protocol

#include "tests/core/protocol/parking_fixture.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <sys/resource.h>
#include <unistd.h>

/// Programs that were started ahead of their execution, by a shell that plays the interpreter: its hook is a script that it reads.
namespace caisson::protocol {
namespace {

/// Says that it waits, reads the message by its length, agrees, waits for leave, and prints what it was told.
constexpr std::string_view obedient = R"sh(
printf R >&3
head=$(dd bs=1 count=4 <&3 2>/dev/null | od -An -tu4 | tr -d ' ')
dd bs=1 count="$head" <&3 2>/dev/null | tr '\0' '\n' > "$NOTES"
printf Y >&3
[ "$(dd bs=1 count=1 <&3 2>/dev/null)" = G ] || exit 9
exec 3>&-
cat "$NOTES"; echo; pwd; ulimit -n; cat; echo late >&2; exit 5
)sh";

class AgentParking : public ParkingLink {
protected:
    park_request parking(std::string_view script = obedient)
    {
        park_request order;
        order.program = shell("");
        order.program.argv = {"/bin/sh", "-c", ". \"$HOOK/" + hook + "\"", "name"};
        order.program.env.emplace_back("NOTES", agent->work() + "/notes");
        order.program.cwd = agent->work();
        order.file_name = hook;
        order.file_text = script;
        order.hooks = {{"HOOK", "{park}"}};
        order.fixed = {"PATH", "LC_*"};
        return order;
    }
    /// For any execution, as a server of version 3 says it.
    result<bool> park(park_request order) { return park(0, std::move(order)); }
    result<bool> park(exec_number number, park_request order, std::vector<int> join = {})
    {
        renew();
        order.program.cwd = agent->work();
        order.program.env.back().second = agent->work() + "/notes";
        return ask(number, std::move(order), std::move(join));
    }
    /// The request that the parked program waits for.
    spawn_request asked()
    {
        auto request = parking().program;
        request.argv.emplace_back("one more");
        request.env.emplace_back("NEW", "value");
        return request;
    }
    /// Directories of hooks: also other agents', which have theirs in the same place.
    static std::set<std::filesystem::path> hooks()
    {
        std::set<std::filesystem::path> found;
        for (const auto& each : std::filesystem::directory_iterator("/tmp"))
            if (each.path().filename().string().starts_with(".caisson-"))
                found.insert(each.path());
        return found;
    }
    /// The hook is gone now, and its directory with it: another one that is seen is gone after a moment.
    bool leaves_no_hook()
    {
        std::error_code foreign;
        for (const auto& each : hooks())
            EXPECT_FALSE(std::filesystem::exists(each / hook, foreign)) << each;
        return run_until([this] { return std::ranges::includes(before, hooks()); });
    }

    const std::string hook = "hook-" + std::to_string(::getpid());    // no other agent's has this name
    const std::set<std::filesystem::path> before = hooks();           // one that was killed has left its
};

TEST_P(AgentParking, GoesOnAsTheExecution)
{
    const auto parked = park(parking());
    ASSERT_TRUE(parked.has_value() && *parked);
    EXPECT_TRUE(leaves_no_hook());
    const auto waiting = child_of_agent();
    auto request = asked();
    request.rlimits = {{RLIMIT_NOFILE, 77}};
    auto& sink = new_sink();
    run_to_end(sink, std::move(request), "from stdin\n");
    EXPECT_TRUE(sink.was_parked);
    EXPECT_EQ(sink.started, waiting);
    EXPECT_EQ(sink.out,
        "1\none more\nPATH=/usr/bin:/bin\nLC_ALL=C\nNOTES=" + agent->work() + "/notes\nNEW=value\n" + agent->work() + "\n77\nfrom stdin\n");
    EXPECT_EQ(sink.err, "late\n");
    ASSERT_TRUE(sink.exited.has_value());
    EXPECT_EQ(sink.exited->wait_status, 5 << 8);
}

TEST_P(AgentParking, JoinsItsGroupsFromOutside)
{
    if (GetParam() == agent_process::transport::pipes)
        return;    // they carry no descriptors
    ASSERT_TRUE(*park(parking()));
    const auto waiting = child_of_agent();
    const unique_fd group(::open((agent->work() + "/group").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    auto& sink = new_sink();
    link->attach(1, sink, std::nullopt);
    acknowledge_all(sink, 1);
    link->end_stdin(1, 0);
    link->spawn(1, asked(), {group.get()});
    run_until([&] { return sink.complete(); });
    EXPECT_TRUE(sink.was_parked);
    std::ifstream in(agent->work() + "/group");
    pid_t joined = 0;
    in >> joined;
    EXPECT_EQ(joined, waiting);
}

TEST_P(AgentParking, JoinsItsGroupsWhenItIsParked)
{
    if (GetParam() == agent_process::transport::pipes)
        return;
    const fake_group group;
    const fake_group other;
    ASSERT_TRUE(*park(1, parking(), {group.get()}));
    EXPECT_EQ(group.text(), "0");
    auto& sink = new_sink();
    run_to_end(sink, asked(), {}, {other.get()});
    EXPECT_TRUE(sink.was_parked);
    EXPECT_EQ(group.text() + other.text(), "0") << "it is in them";
}

TEST_P(AgentParking, IsLeftAloneByOtherExecutions)
{
    ASSERT_TRUE(*park(1, parking()));
    const auto waiting = child_of_agent();
    auto& other = new_sink();
    run_to_end(other, asked(), {}, {}, 2);
    EXPECT_FALSE(other.was_parked);
    auto& sink = new_sink();
    run_to_end(sink, asked());
    EXPECT_TRUE(sink.was_parked);
    EXPECT_EQ(sink.started, waiting);
}

struct other_case {
    std::string_view name;
    void (*change)(spawn_request&);
};

TEST_P(AgentParking, AnythingElseIsStartedAnew)
{
    const other_case cases[] = {
        {"argument", [](spawn_request& what) { what.argv[3] = "other"; }},
        {"program", [](spawn_request& what) { what.argv[0] = "/bin/bash"; }},
        {"fixed_variable", [](spawn_request& what) { what.env[0].second += ":/sbin"; }},
        {"new_fixed_variable", [](spawn_request& what) { what.env.emplace_back("LC_CTYPE", "C"); }},
        {"directory", [](spawn_request& what) { what.cwd = "/"; }},
        {"filter", [](spawn_request& what) { what.seccomp_filter.append("\x06\0\0\0\0\0\xff\x7f", 8); }},
        {"terminal", [](spawn_request& what) { what.pty = spawn_request::size{80, 24}; }},
    };
    for (const auto& c : cases) {
        SCOPED_TRACE(c.name);
        ASSERT_TRUE(*park(parking()));
        const auto waiting = child_of_agent();
        ASSERT_GT(waiting, 0);
        auto request = asked();
        request.env.emplace_back("HOOK", agent->work());
        std::ofstream(agent->work() + "/" + hook) << "echo anew";
        c.change(request);
        auto& sink = new_sink();
        run_to_end(sink, std::move(request));
        EXPECT_FALSE(sink.was_parked);
        EXPECT_EQ(sink.out, c.name == "terminal" ? "anew\r\n" : "anew\n");
        EXPECT_NE(::kill(waiting, 0), 0) << "it is still there";
    }
}

struct broken_case {
    std::string_view name;
    std::string_view script;
};

/// Whatever it does instead, the execution runs once.
TEST_P(AgentParking, WhatDoesNotAgreeIsStartedAnew)
{
    const broken_case cases[] = {
        {"ends", "printf R >&3; dd bs=1 count=4 <&3 >/dev/null 2>&1; exit 0"},
        {"refuses", "printf R >&3; dd bs=1 count=4 <&3 >/dev/null 2>&1; printf N >&3; sleep 100"},
        {"is_silent", "printf R >&3; sleep 100"},
        {"has_children", "setsid sleep 100 & printf R >&3; dd bs=1 count=4 <&3 >/dev/null 2>&1; printf N >&3; sleep 100"},
        {"is_stopped", "printf R >&3; kill -STOP $$"},
    };
    for (const auto& c : cases) {
        SCOPED_TRACE(c.name);
        ASSERT_TRUE(*park(parking(c.script)));
        auto request = asked();
        request.env.emplace_back("HOOK", agent->work());
        std::ofstream(agent->work() + "/" + hook) << "echo once";
        auto& sink = new_sink();
        run_to_end(sink, std::move(request));
        EXPECT_FALSE(sink.was_parked);
        EXPECT_EQ(sink.out, "once\n");
    }
}

TEST_P(AgentParking, TellsThatItCannot)
{
    auto missing = parking();
    missing.program.argv = {"/nonexistent"};
    auto path = parking();
    path.file_name = "../escaped";
    auto large = parking();
    large.file_text.assign(512 * 1024, 'x');
    for (const auto& order : {parking("exit 3"), parking("printf N >&3; sleep 100"), missing, path, large}) {
        const auto parked = park(order);
        ASSERT_TRUE(parked.has_value());
        EXPECT_FALSE(*parked);
        EXPECT_TRUE(leaves_no_hook());
        auto& sink = new_sink();
        run_to_end(sink, shell("echo fine"));
        EXPECT_EQ(sink.out, "fine\n");
    }
}

TEST_P(AgentParking, OneThatIsKilledWhileItWaitsIsStartedAnew)
{
    ASSERT_TRUE(*park(parking()));
    ASSERT_EQ(::kill(child_of_agent(), SIGKILL), 0);
    auto& sink = new_sink();
    run_to_end(sink, shell("echo fine"));
    EXPECT_FALSE(sink.was_parked);
    EXPECT_EQ(sink.out, "fine\n");
}

TEST_P(AgentParking, OutlivesItsServerOnceItRuns)
{
    ASSERT_TRUE(*park(parking()));
    auto& sink = new_sink();
    link->attach(1, sink, std::nullopt);
    acknowledge_all(sink, 1);
    auto request = asked();
    request.stdin_open = true;
    link->spawn(1, std::move(request), {});
    run_until([&] { return sink.out.ends_with("\n"); });
    link->detach(1);
    close();
    open(100);
    auto& next = new_sink({sink.out.size(), 0, 0});
    link->attach(1, next, resume_point{sink.out.size(), 0, 0});
    acknowledge_all(next, 1);
    link->send_stdin(1, 0, shared_bytes(std::string("to the next\n")));
    link->end_stdin(1, 12);
    run_until([&] { return next.complete(); });
    EXPECT_TRUE(next.was_parked);
    EXPECT_TRUE((sink.out + next.out).ends_with("to the next\n"));
}

INSTANTIATE_TEST_SUITE_P(Transports, AgentParking,
    ::testing::Values(agent_process::transport::unix_socket, agent_process::transport::dialled, agent_process::transport::pipes),
    [](const auto& info) { return agent_process::name_of(info.param); });

}    // namespace
}    // namespace caisson::protocol

#include "core/protocol/collect_stream.hpp"
#include "tests/core/protocol/agent_link_fixture.hpp"

#include <cerrno>
#include <sys/wait.h>

/// What the agent collects by itself once a program has ended.
namespace caisson::protocol {
namespace {

constexpr exec_number collecting = 7;

class AgentEndCollecting : public AgentLink {
protected:
    spawn_request order(std::vector<std::string> options = {}, std::string program = "1") const
    {
        spawn_request request;
        request.argv = {"/proc/self/exe", "--collect-at-end", std::move(program), agent->work(), "--max-files", "1000", "--max-bytes",
            "1000000", "--max-file-bytes", "1000000", "--max-depth", "32", "--max-entries", "100000"};
        request.argv.insert(request.argv.end(), options.begin(), options.end());
        request.argv.insert(request.argv.end(), {"--", "out/**"});
        request.cwd = "/";
        return request;
    }
    /// Runs a program in the working directory, and hears what is collected at its end.
    recording_sink& run_and_collect(std::string script, spawn_request what)
    {
        auto& files = new_sink();
        link->attach(collecting, files, std::nullopt);
        link->spawn(collecting, std::move(what), {});    // it may come first: files are put one by one
        auto& sink = new_sink();
        auto request = shell(std::move(script));
        request.cwd = agent->work();
        run_to_end(sink, std::move(request));
        run_until([&] { return files.complete(); });
        return files;
    }
    void expect_refused(const recording_sink& files) const
    {
        ASSERT_TRUE(files.exited);
        EXPECT_EQ(WEXITSTATUS(files.exited->wait_status), cannot_collect_at_end);
        EXPECT_EQ(files.out, "");
    }
    static std::vector<std::string> told(const std::string& stream)
    {
        std::vector<std::string> out;
        collect_decoder decoder;
        decoder.add(shared_bytes(stream));
        for (auto next = decoder.next(); next != collect_decoder::item::need_more; next = decoder.next()) {
            if (next == collect_decoder::item::file)
                out.push_back((decoder.file().is_output ? "output " : "file ") + decoder.file().path);
            else if (next == collect_decoder::item::data)
                out.back() += " " + std::string(decoder.data().view());
            else if (next == collect_decoder::item::skipped)
                out.push_back("skipped " + decoder.path());
            else if (next == collect_decoder::item::done)
                return out;
            else if (next == collect_decoder::item::broken)
                break;
        }
        out.emplace_back("not whole");
        return out;
    }
};

TEST_P(AgentEndCollecting, SendsWhatAProgramLeft)
{
    const auto& files = run_and_collect("mkdir -p out/deep; printf 1 >out/deep/a; printf 2 >out/b; ln -s b out/c; printf 3 >result",
        order({"--output", "result", "--max-output-bytes", "100"}));
    ASSERT_TRUE(files.exited);
    EXPECT_EQ(files.exited->wait_status, 0);
    EXPECT_EQ(told(files.out), (std::vector<std::string>{"output result 3", "file out/b 2", "skipped out/c", "file out/deep/a 1"}));
}

TEST_P(AgentEndCollecting, SendsThatThereIsNothing)
{
    const auto& files = run_and_collect("true", order());
    ASSERT_TRUE(files.exited);
    EXPECT_EQ(files.exited->wait_status, 0);
    EXPECT_TRUE(told(files.out).empty());
}

TEST_P(AgentEndCollecting, ReadsNothingWhileAProcessIsLeft)
{
    expect_refused(run_and_collect("mkdir out; printf 1 >out/a; sleep 600 >/dev/null 2>&1 &", order()));
}

TEST_P(AgentEndCollecting, LeavesMuchToACollector)
{
    struct much {
        const char* script;
        bool fits;
    };
    for (const auto& each :
        {much{"head -c 60000 /dev/zero", true}, much{"head -c 65536 /dev/zero", false}, much{"head -c 900000 /dev/zero", false}}) {
        agent = agent_process::start(context.get_executor(), GetParam());
        close();
        open();
        const auto& files = run_and_collect("mkdir out; " + std::string(each.script) + " >out/a", order());
        ASSERT_TRUE(files.exited);
        EXPECT_EQ(files.exited->wait_status == 0, each.fits) << each.script;
        EXPECT_EQ(files.out.size() > 60'000, each.fits);
    }
}

TEST_P(AgentEndCollecting, LeavesManyEntriesToACollector)
{
    expect_refused(run_and_collect("mkdir out; i=0; while [ $i -lt 100 ]; do : >out/$i; i=$((i+1)); done", order()));
}

TEST_P(AgentEndCollecting, LeavesWhatCannotBeReadToACollector)
{
    auto elsewhere = order();
    elsewhere.argv[3] = agent->work() + "/missing";
    expect_refused(run_and_collect("true", elsewhere));
    auto relative = order();
    relative.argv[3] = "relative";
    auto& again = new_sink();
    link->attach(collecting + 1, again, std::nullopt);
    link->spawn(collecting + 1, relative, {});
    run_until([&] { return again.complete(); });
    expect_refused(again);
}

TEST_P(AgentEndCollecting, IsOrderedOnceAtATimeAndForAProgram)
{
    auto& first = new_sink();
    auto& second = new_sink();
    auto& third = new_sink();
    link->attach(collecting, first, std::nullopt);
    link->attach(collecting + 1, second, std::nullopt);
    link->attach(collecting + 2, third, std::nullopt);
    link->spawn(collecting, order({}, "0"), {});
    link->spawn(collecting + 1, order(), {});
    link->spawn(collecting + 2, order(), {});
    run_until([&] { return first.failed && second.started && third.failed; });
    EXPECT_EQ(first.failed->first, EINVAL);
    EXPECT_EQ(third.failed->first, EBUSY);
    link->forget(collecting + 1);
    auto& between = new_sink();
    run_to_end(between, shell("true"), {}, {}, 2);    // the agent has heard of that by then
    auto& fourth = new_sink();
    link->attach(collecting + 3, fourth, std::nullopt);
    link->spawn(collecting + 3, order({}, "3"), {});
    auto& sink = new_sink();
    run_to_end(sink, shell("true"), {}, {}, 3);
    run_until([&] { return fourth.complete(); });
    ASSERT_TRUE(fourth.exited);
    EXPECT_EQ(fourth.exited->wait_status, 0);
}

TEST_P(AgentEndCollecting, OfAProgramThatIsNotStartedNeverComes)
{
    auto& files = new_sink();
    link->attach(collecting, files, std::nullopt);
    link->spawn(collecting, order(), {});
    auto& sink = new_sink();
    auto request = shell("true");
    request.argv = {"/no/such/program"};
    run_to_end(sink, std::move(request));
    ASSERT_TRUE(sink.failed);
    auto& next = new_sink();
    run_to_end(next, shell("true"), {}, {}, 2);
    EXPECT_TRUE(files.started.has_value() && !files.complete());
}

TEST_P(AgentEndCollecting, IsSaidAgainOverTheNextConnection)
{
    auto& files = new_sink();
    link->attach(collecting, files, std::nullopt);
    link->spawn(collecting, order(), {});
    auto& sink = new_sink();
    link->attach(1, sink, std::nullopt);
    auto request = shell("mkdir out; printf 1 >out/a; read line");
    request.cwd = agent->work();
    request.stdin_open = true;
    link->spawn(1, std::move(request), {});
    run_until([&] { return sink.started && files.started; });
    connection->close();
    link->send_stdin(1, 0, shared_bytes(std::string("go\n")));
    run_until([&] { return files.complete() && sink.complete(); });
    EXPECT_GE(connections, 2);
    EXPECT_EQ(told(files.out), std::vector<std::string>{"file out/a 1"});
}

INSTANTIATE_TEST_SUITE_P(Transports, AgentEndCollecting,
    ::testing::Values(agent_process::transport::unix_socket, agent_process::transport::dialled, agent_process::transport::pipes),
    [](const auto& info) { return agent_process::name_of(info.param); });

}    // namespace
}    // namespace caisson::protocol

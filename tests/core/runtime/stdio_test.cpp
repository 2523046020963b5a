#include "tests/core/protocol/agent_link_fixture.hpp"
#include "tests/core/runtime/own_engine.hpp"
#include "tests/core/runtime/runtime_world.hpp"

#include "core/async/task_group.hpp"

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <sys/wait.h>

namespace caisson::testing {

namespace {

using namespace std::chrono_literals;
using protocol::counted;
using protocol::exec_number;
using protocol::recording_sink;
using protocol::resume_point;
using protocol::stream_number;
using ::testing::AnyOf;
using ::testing::HasSubstr;

std::uint64_t last_epoch = 0;

/// A server's link to one execution of a sandbox.
class server_link {
public:
    server_link(runtime_world& world, sandbox& box, recording_sink& sink, std::chrono::milliseconds lease = 1h)
        : world_(world), sink_(sink), tasks_(world.context().get_executor(), log_)
    {
        auto connect = [&box] { return box.connect(); };
        link_ = protocol::make_agent_link(world.context().get_executor(), world.time(), log_, std::move(connect),
            {.instance = "test", .epoch = ++last_epoch, .lease = lease});
        const auto opened = world_.run(link_->open(world_.time().steady_now() + 10s));
        if (opened.has_error())
            throw std::runtime_error("link: " + opened.error().detail);
        tasks_.spawn("link", run(link_.get()));
        sink_.on_bytes = [this](stream_number stream, std::uint64_t end) { link_->acknowledge(number, stream, end); };
    }
    ~server_link() { close(); }
    server_link(const server_link&) = delete;
    server_link& operator=(const server_link&) = delete;

    /// As when the server is killed: not a word to the agent.
    void close()
    {
        sink_.on_bytes = nullptr;
        link_->close();
        world_.run(stop(&tasks_));
    }
    void begin(protocol::spawn_request wanted)
    {
        link_->attach(number, sink_, std::nullopt);
        link_->spawn(number, std::move(wanted), {});
    }
    void resume(resume_point from) { link_->attach(number, sink_, from); }
    /// Until it holds, for half a minute at most.
    void until(std::function<bool()> done) { world_.run(wait(&world_.time(), std::move(done))); }

    protocol::agent_link& link() { return *link_; }

    static constexpr exec_number number = 1;

private:
    static task<> run(protocol::agent_link* link) { static_cast<void>(co_await link->run()); }
    static task<> stop(task_group* group) { co_await group->stop(); }
    static task<> wait(timers* time, std::function<bool()> done)
    {
        while (!done())
            co_await time->wait_for(5ms);
    }

    runtime_world& world_;
    recording_sink& sink_;
    null_logger log_;
    task_group tasks_;
    std::unique_ptr<protocol::agent_link> link_;
};

/// Sandboxes of a real engine that are spoken to over their stdio, and what may happen to their containers from outside.
class StdioSandbox : public ::testing::TestWithParam<runtime_case> {
protected:
    void SetUp() override
    {
        if (const auto reason = cannot_run(GetParam()))
            GTEST_SKIP() << *reason;
    }
    static protocol::spawn_request shell(const runtime_world& world, const std::string& program)
    {
        return world.request({"/bin/sh", "-c", program});
    }
    static std::string counting(std::size_t bytes) { return "seq 1 100000000 | head -c " + std::to_string(bytes); }
    static std::string container_of(const sandbox& box)
    {
        return std::string(boost::json::parse(box.runtime_state()).at("container").as_string());
    }
    static bool has_container(runtime_world& world, const std::string& id)
    {
        docker::containers all(world.engine());
        return world.run(all.inspect(id, world.engine().deadline())).has_value();
    }
};

TEST_P(StdioSandbox, CarriesFiftyMegabytes)
{
    constexpr std::size_t size = 50'000'000;
    runtime_world world(GetParam());
    const auto box = world.start();
    recording_sink sink;
    {
        server_link server(world, *box, sink);
        server.begin(shell(world, counting(size)));
        server.until([&] { return sink.complete(); });
    }
    EXPECT_TRUE(sink.out == counted(size)) << sink.out.size();
    EXPECT_EQ(sink.gaps, 0u);
    world.destroy(*box);
}

/// Each server is killed in the middle of heavy output and of a frame to the agent; the engine drops what nobody reads.
TEST_P(StdioSandbox, EachByteComesOnceOverServersThatAreKilled)
{
    constexpr std::size_t size = 12'000'000;
    runtime_world world(GetParam());
    const auto box = world.start();
    std::string all;
    resume_point from;
    bool complete = false;
    for (int servers = 0; servers < 6 && !complete; ++servers) {
        recording_sink sink(from);
        {
            server_link server(world, *box, sink);
            if (servers == 0)
                server.begin(shell(world, counting(size)));
            else
                server.resume(from);
            const auto enough = servers == 5 ? size : 2'000'000u;
            server.until([&] { return sink.complete() || sink.out.size() >= enough; });
        }
        EXPECT_EQ(sink.gaps, 0u);
        all += sink.out;
        from.stdout_committed = all.size();
        complete = sink.complete();
        if (!complete) {    // what the next server's marker finds before it
            auto half = world.run(box->connect());
            ASSERT_TRUE(half.has_value()) << half.error().detail;
            const std::string_view parts[] = {std::string_view("\x00\x10\x00\x00\x13half a frame", 17)};
            world.run((*half)->write(parts, {}));
        }
    }
    EXPECT_TRUE(complete);
    EXPECT_TRUE(all == counted(size)) << all.size();
    world.destroy(*box);
}

TEST_P(StdioSandbox, AnotherServerTakesItUp)
{
    runtime_world world(GetParam());
    auto box = world.start();
    recording_sink first;
    {
        server_link server(world, *box, first);
        auto wanted = shell(world, "echo one; read line; echo two; exit 7");
        wanted.stdin_open = true;
        server.begin(std::move(wanted));
        server.until([&] { return first.out == "one\n"; });
    }
    const auto id = box->id();
    const auto state = box->runtime_state();
    box.reset();
    auto found = world.run(world.rt().recover(id, state));
    ASSERT_TRUE(found.has_value()) << found.error().detail;
    EXPECT_TRUE((*found)->made_at());
    EXPECT_EQ((*found)->image_digest().substr(0, 7), "sha256:");
    recording_sink second({.stdout_committed = 4});
    {
        server_link server(world, **found, second);
        server.resume({.stdout_committed = 4});
        server.link().send_stdin(1, 0, shared_bytes(std::string("go\n")));
        server.until([&] { return second.complete(); });
    }
    EXPECT_EQ(second.out, "two\n");
    EXPECT_EQ(WEXITSTATUS(second.exited->wait_status), 7);
    world.destroy(**found);
}

/// The stream has no end that an agent could see: the lease counts from what it heard last.
TEST_P(StdioSandbox, EndsByItselfWhenNoServerComesWithinTheLease)
{
    runtime_world world(GetParam());
    const auto box = world.start();
    recording_sink sink;
    {
        server_link server(world, *box, sink, 2s);
        server.begin(world.request(world.hang()));
        server.until([&] { return sink.started.has_value(); });
    }
    EXPECT_EQ(world.run(box->ended()), "the agent exited with status 0");
    world.destroy(*box);
}

TEST_P(StdioSandbox, ThatIsKilledFromOutsideSaysSo)
{
    runtime_world world(GetParam());
    const auto box = world.start();
    auto ended = box->ended();
    docker::containers engine(world.engine());
    EXPECT_TRUE(world.run(engine.kill(container_of(*box), "SIGKILL", world.engine().deadline())).has_value());
    EXPECT_THAT(world.run(std::move(ended)), HasSubstr("the container was killed from outside"));
    world.destroy(*box);
    EXPECT_FALSE(has_container(world, container_of(*box)));
}

TEST_P(StdioSandbox, ThatIsRemovedFromOutsideSaysSo)
{
    runtime_world world(GetParam());
    const auto box = world.start();
    docker::containers engine(world.engine());
    EXPECT_TRUE(world.run(engine.remove(container_of(*box), world.engine().deadline())).has_value());
    EXPECT_EQ(world.run(box->ended()), "the container was removed from outside");
    const auto connected = world.run(box->connect());
    ASSERT_TRUE(connected.has_error());
    EXPECT_EQ(connected.error().code, errc::runtime_unavailable);
    world.destroy(*box);
}

TEST_P(StdioSandbox, ThatIsPausedFromOutsideCanBeEnded)
{
    runtime_world world(GetParam());
    const auto box = world.start();
    docker::containers engine(world.engine());
    EXPECT_TRUE(world.run(engine.pause(container_of(*box), world.engine().deadline())).has_value());
    const auto connected = world.run(box->connect());
    ASSERT_TRUE(connected.has_error());
    EXPECT_THAT(connected.error().detail, HasSubstr("paused"));
    world.destroy(*box);
    EXPECT_FALSE(has_container(world, container_of(*box)));
}

TEST_P(StdioSandbox, MemoryIsLimitedAndTheGroupTellsIt)
{
    runtime_world world(GetParam());
    const auto box = world.start();
    const auto group = world.open_group(*box);
    recording_sink sink;
    std::string cause;
    {
        server_link server(world, *box, sink);
        server.begin(shell(world, "tail /dev/zero"));
        if (GetParam().kind == runtime_kind::gvisor)    // its kernel is the process that grows
            cause = world.run(box->ended());
        else
            server.until([&] { return sink.complete(); });
    }
    EXPECT_GE(group->usage().oom_kills, 1);
    if (GetParam().kind == runtime_kind::gvisor)
        EXPECT_THAT(cause, HasSubstr("ran out of memory"));
    else
        EXPECT_EQ(sink.exited->wait_status, SIGKILL);
    world.destroy(*box);
}

TEST_P(StdioSandbox, UsageIsOfTheContainerFromItsStartOn)
{
    runtime_world world(GetParam());
    const auto box = world.start();
    const auto group = world.open_group(*box);
    const auto before = group->usage();
    ASSERT_TRUE(before.cpu_us);
    world.run_program(*box, {"/bin/sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"});
    const auto after = group->usage();
    EXPECT_GT(*after.cpu_us, *before.cpu_us + 20'000);
    ASSERT_TRUE(after.memory_peak_bytes);
    EXPECT_GT(*after.memory_peak_bytes, 1 << 20);
    world.destroy(*box);
    EXPECT_EQ(group->usage().cpu_us, after.cpu_us) << "the last reading stays";
}

TEST_P(StdioSandbox, IsHardened)
{
    runtime_world world(GetParam());
    const auto box = world.start();
    const auto outcome = world.run_program(
        *box, {"/bin/sh", "-c",
                  "id -u; pwd; for d in / /usr /etc /.caisson /workspace /tmp; do (: > $d/.w) 2>/dev/null && echo $d; done; "
                  "grep -E '^(CapEff|NoNewPrivs)' /proc/self/status | tr -d '\\t'; ls /sys/class/net | grep -v lo; "
                  "head -c 5000000 /dev/zero > /workspace/x 2>/dev/null; wc -c < /workspace/x"});
    const std::string caps = "CapEff:0000000000000000\n";
    const std::string privileges = "NoNewPrivs:1\n";
    EXPECT_THAT(outcome.out, HasSubstr("1000\n/workspace\n/workspace\n/tmp\n")) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr(caps));
    if (GetParam().kind != runtime_kind::gvisor)    // its kernel has no such line
        EXPECT_THAT(outcome.out, HasSubstr(privileges));
    EXPECT_THAT(outcome.out, ::testing::EndsWith("\n4194304\n")) << "the disk is full at 4 MiB";
    world.destroy(*box);
}

TEST_P(StdioSandbox, AProbeThatWorksSaysWhatIsWeak)
{
    runtime_world world(GetParam());
    world.run(world.rt().probe());
    const auto& found = world.rt().capabilities();
    EXPECT_TRUE(found.available) << found.unavailable_reason;
    std::vector<std::string> controls;
    for (const auto& each : found.degraded)
        controls.push_back(each.control);
    EXPECT_THAT(controls, ::testing::Contains("usage"));
    EXPECT_THAT(controls, ::testing::Contains("pause"));
    EXPECT_EQ(found.enforces_pids, GetParam().kind != runtime_kind::gvisor);
}

/// As with an engine that does not see this host's files: the agent comes in a volume, which is filled by the first sandbox.
TEST_P(StdioSandbox, TheAgentMayComeInAVolume)
{
    runtime_world world(GetParam());
    const auto volume = "caisson-test-agent-" + std::to_string(::getpid());
    {
        const auto remote = world.make_runtime_with_volume(volume);
        for (int i = 0; i < 2; ++i) {
            auto created = world.run(remote->create(world.spec()));
            ASSERT_TRUE(created.has_value()) << created.error().detail;
            EXPECT_TRUE(world.run(remote->start(**created)).has_value());
            EXPECT_EQ(world.run_program(**created, world.echo("from a volume")).out, "from a volume");
            world.destroy(**created);
        }
    }
    auto removal = world.engine().call("DELETE", "/volumes/" + volume, world.engine().deadline());
    EXPECT_TRUE(world.run(std::move(removal)).has_value());
}

/// An engine without live-restore ends what its predecessor ran.
TEST(StdioSandboxOfAnEngine, ThatRestartsEndsWithTheCause)
{
    if (const auto reason = cannot_run(docker_over_stdio))
        GTEST_SKIP() << *reason;
    if (::geteuid() != 0)
        GTEST_SKIP() << "needs root: to start an engine";
    own_engine engine;
    runtime_world world(docker_over_stdio);
    const auto box = world.start();
    recording_sink sink;
    std::optional<server_link> server(std::in_place, world, *box, sink);
    server->begin(world.request(world.hang()));
    server->until([&] { return sink.started.has_value(); });
    std::optional<std::string> cause;
    null_logger log;
    task_group tasks(world.context().get_executor(), log);
    const auto watch = [](sandbox* of, std::optional<std::string>* into) -> task<> { *into = co_await of->ended(); };
    tasks.spawn("watch", watch(box.get(), &cause));
    engine.kill();
    const auto made = world.run(world.rt().create(world.spec()));
    ASSERT_TRUE(made.has_error());
    EXPECT_EQ(made.error().code, errc::runtime_unavailable);
    const auto connected = world.run(box->connect());
    ASSERT_TRUE(connected.has_error());
    EXPECT_FALSE(cause) << "nothing is known while the engine is away";
    engine.start();
    server->until([&] { return cause.has_value(); });
    EXPECT_THAT(*cause, HasSubstr("the engine ended the container when it was restarted"));
    server.reset();
    const auto stop = [](task_group* group) -> task<> { co_await group->stop(); };
    world.run(stop(&tasks));
    world.destroy(*box);
    EXPECT_TRUE(world.run(world.rt().left_overs())->empty());
}

std::string name_of(const ::testing::TestParamInfo<runtime_case>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Runtimes, StdioSandbox, ::testing::Values(docker_over_stdio, gvisor), name_of);

}    // namespace

}    // namespace caisson::testing

#include "core/exec/collect/collect_command.hpp"
#include "core/protocol/collect_stream.hpp"
#include "core/protocol/frame.hpp"
#include "core/sandbox/living_sandbox.hpp"
#include "tests/core/protocol/recording_sink.hpp"
#include "tests/core/runtime/host_state.hpp"
#include "tests/core/runtime/runtime_world.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <map>

namespace caisson::testing {

namespace {

using protocol::exec_number;
using protocol::stream_number;

/// A sandbox with its link, and what is heard of each program in it.
class busy_sandbox {
public:
    explicit busy_sandbox(runtime_world& world) : world_(world), home_(make(world, log_))
    {
        const auto opened = world_.run(home_->open(world_.time().steady_now() + std::chrono::seconds(10)));
        if (opened.has_error())
            throw std::runtime_error("link: " + opened.error().detail);
        home_->carry({"test", "programs"}, [](const std::string& why, bool) { ADD_FAILURE() << why; });
    }
    ~busy_sandbox() { world_.run(home_->close()); }
    busy_sandbox(const busy_sandbox&) = delete;
    busy_sandbox& operator=(const busy_sandbox&) = delete;

    sandbox& box() { return home_->box(); }
    exec_numbers& numbers() { return home_->numbers(); }
    protocol::agent_link& link() { return *home_->link(); }
    const protocol::recording_sink& heard(exec_number number) const { return heard_.at(number); }

    void start(exec_number number, protocol::spawn_request wanted, std::vector<int> join = {})
    {
        link().attach(number, heard_[number], std::nullopt);
        link().spawn(number, std::move(wanted), std::move(join));
    }
    /// All of the program's stdin.
    void type(exec_number number, const std::string& text)
    {
        if (!text.empty())
            link().send_stdin(number, 0, shared_bytes(text));
        link().end_stdin(number, text.size());
    }
    /// What was heard of stdout, and what comes.
    void acknowledge(exec_number number)
    {
        auto& sink = heard_.at(number);
        sink.on_bytes = [this, number](stream_number stream, std::uint64_t end) { link().acknowledge(number, stream, end); };
        link().acknowledge(number, stream_number::stdout_stream, sink.end_of(stream_number::stdout_stream));
    }
    void until(std::function<bool()> done) { world_.run(wait(&world_.time(), std::move(done))); }
    void until_complete(exec_number number)
    {
        until([&] { return heard(number).complete(); });
    }
    void destroy()
    {
        world_.run(home_->close());
        world_.destroy(box());
    }

private:
    static std::unique_ptr<living_sandbox> make(runtime_world& world, logger& log)
    {
        auto spec = world.spec();
        spec.limits.disk_bytes = 8 << 20;
        protocol::link_options options{.instance = "test", .epoch = static_cast<std::uint64_t>(world.time().now_ms())};
        auto box = world.start(std::move(spec));
        return std::make_unique<living_sandbox>(world.context().get_executor(), world.time(), log, std::move(options), std::move(box));
    }
    static task<> wait(timers* time, std::function<bool()> done)
    {
        while (!done())
            co_await time->wait_for(std::chrono::milliseconds(5));
    }

    runtime_world& world_;
    null_logger log_;
    std::map<exec_number, protocol::recording_sink> heard_;    // outlives the link
    std::unique_ptr<living_sandbox> home_;
};

/// Several programs that run in one sandbox at once, over its one link.
class RuntimePrograms : public ::testing::TestWithParam<runtime_case> {
protected:
    void SetUp() override
    {
        if (const auto reason = cannot_run(GetParam()))
            GTEST_SKIP() << *reason;
    }
    using groups = std::map<exec_number, std::unique_ptr<execution_group>>;

    /// Prints its number to both streams and then its stdin, and exits with 10 and its number.
    static protocol::spawn_request echoing(const runtime_world& world, exec_number number)
    {
        const auto digit = std::to_string(number);
        std::vector<std::string> argv{"mock", "--stdout", "out" + digit, "--stderr", "err" + digit, "--cat", "--exit", "1" + digit};
        if (world.runs_programs())
            argv = {"/bin/sh", "-c", "printf out$0; printf err$0 >&2; while read -r line; do echo \"$line\"; done; exit 1$0", digit};
        auto wanted = world.request(std::move(argv));
        wanted.stdin_open = true;
        return wanted;
    }
    /// Starts programs 1, 2 and 3, each in its group, and waits until all of them run.
    static groups start_three(runtime_world& world, busy_sandbox& of)
    {
        groups opened;
        for (exec_number number = 1; number <= 3; ++number) {
            const group_name name{.program = static_cast<std::uint32_t>(number)};
            auto& group = opened[number];
            group = of.box().open_group(name, {.memory_bytes = 16 << 20, .cpu_milli = 300, .pids = 8}).value();
            of.start(number, echoing(world, number), group->join_descriptors());
        }
        for (const auto& [number, group] : opened)
            of.until([&, at = number] { return of.heard(at).out.size() == 4 && of.heard(at).err.size() == 4; });
        return opened;
    }
    /// Whether the group is of one program alone. Elsewhere one group is all of the sandbox.
    static bool is_apart(const execution_group& group) { return !group.join_descriptors().empty(); }
    static int exit_status(exec_number number) { return static_cast<int>(10 + number) << 8; }
};

TEST_P(RuntimePrograms, EachHasItsOwnStreamsSignalsEndAndGroup)
{
    in_world(GetParam(), [](runtime_world& world) {
        busy_sandbox of(world);
        const auto opened = start_three(world, of);
        for (const auto& [number, group] : opened) {
            EXPECT_FALSE(of.heard(number).exited) << number;
            if (is_apart(*group))
                EXPECT_EQ(group->population(), 1U) << number;
        }
        EXPECT_TRUE(of.link().signal(2, SIGTERM, protocol::agent_link::target::leader));
        of.until_complete(2);
        EXPECT_TRUE(world.run(opened.at(2)->remove()).has_value());
        EXPECT_FALSE(of.heard(1).exited || of.heard(3).exited) << "the others run on";
        of.type(3, "three\n");
        of.until_complete(3);
        EXPECT_TRUE(world.run(opened.at(3)->remove()).has_value());
        EXPECT_FALSE(of.heard(1).exited) << "it runs on";
        of.type(1, "one\n");
        of.until_complete(1);
        for (const auto number : {1, 2, 3})
            EXPECT_EQ(of.heard(number).err, "err" + std::to_string(number));
        EXPECT_EQ(of.heard(1).out, "out1one\n");
        EXPECT_EQ(of.heard(2).out, "out2");
        EXPECT_EQ(of.heard(3).out, "out3three\n");
        EXPECT_EQ(of.heard(1).exited.value().wait_status, exit_status(1));
        EXPECT_EQ(of.heard(2).exited.value().wait_status, SIGTERM);
        EXPECT_EQ(of.heard(3).exited.value().wait_status, exit_status(3));
        of.destroy();
    });
}

TEST_P(RuntimePrograms, OneIsKilledWhileOthersRun)
{
    in_world(GetParam(), [](runtime_world& world) {
        busy_sandbox of(world);
        const auto opened = start_three(world, of);
        if (is_apart(*opened.at(2)))
            opened.at(2)->kill();
        else
            EXPECT_TRUE(of.link().signal(2, SIGKILL, protocol::agent_link::target::group));
        of.until_complete(2);
        EXPECT_EQ(of.heard(2).exited.value().wait_status, SIGKILL);
        for (const exec_number number : {1, 3}) {
            EXPECT_FALSE(of.heard(number).exited) << number;
            of.type(number, "");
            of.until_complete(number);
            EXPECT_EQ(of.heard(number).exited.value().wait_status, exit_status(number)) << number;
        }
        of.destroy();
    });
}

TEST_P(RuntimePrograms, AreEndedByADestroyThatLeavesNothing)
{
    in_world(GetParam(), [](runtime_world& world) {
        const auto run_three = [&] {
            busy_sandbox of(world);
            start_three(world, of);
            of.destroy();
        };
        run_three();    // what is made once has been made
        const host_state before(world);
        run_three();
        EXPECT_EQ(host_state(world), before);
    });
}

/// More than a stream's window and the agent's largest pipe: unacknowledged, the collector cannot end.
constexpr std::size_t collected_bytes = 2'500'000;
static_assert(collected_bytes > 2 * protocol::stream_window_bytes);

/// What `yes WORD` prints, cut.
std::string repeated(const std::string& word)
{
    std::string text;
    while (text.size() < collected_bytes)
        text += word + "\n";
    text.resize(collected_bytes);
    return text;
}

/// The files in a whole stream of a collector, by path.
std::map<std::string, std::string> files_in(const std::string& stream)
{
    using item = protocol::collect_decoder::item;
    std::map<std::string, std::string> files;
    protocol::collect_decoder decoder;
    decoder.add(shared_bytes(stream));
    auto next = decoder.next();
    for (; next != item::need_more && next != item::broken && next != item::done; next = decoder.next()) {
        EXPECT_TRUE(next == item::file || next == item::data || next == item::end) << decoder.reason();
        files[decoder.file().path] += next == item::data ? decoder.data().view() : std::string_view();
    }
    EXPECT_EQ(next, item::done);
    EXPECT_EQ(decoder.totals().problem, "");
    return files;
}

protocol::spawn_request collecting(const runtime_world& world, const sandbox& of, const std::string& pattern)
{
    collect_spec spec;
    spec.patterns = {pattern};
    return world.request(collect_command(spec, of.work_directory()));
}

TEST_P(RuntimePrograms, CollectionsOfFilesAtOnceDoNotMix)
{
    in_world(GetParam(), [](runtime_world& world) {
        if (!world.runs_programs())
            return;    // there are no files
        busy_sandbox of(world);
        auto maker = world.request({"/bin/sh", "-c",
            "for d in left right; do mkdir $d && yes $d | head -c " + std::to_string(collected_bytes) + " >$d/file || exit 1; done"});
        maker.cwd = of.box().work_directory();
        of.start(exec_numbers::first_program, std::move(maker));
        of.until_complete(exec_numbers::first_program);
        ASSERT_EQ(of.heard(exec_numbers::first_program).exited.value().wait_status, 0) << of.heard(exec_numbers::first_program).err;
        const auto left = of.numbers().next();
        const auto right = of.numbers().next();
        of.start(left, collecting(world, of.box(), "left/**"));
        of.start(right, collecting(world, of.box(), "right/**"));
        for (const auto number : {left, right})
            of.until([&] { return of.heard(number).out.size() > protocol::stream_window_bytes / 2; });
        for (const auto number : {left, right}) {
            EXPECT_FALSE(of.heard(number).exited) << "both run at once";
            of.acknowledge(number);
        }
        for (const auto number : {left, right}) {
            of.until_complete(number);
            EXPECT_EQ(of.heard(number).exited.value().wait_status, 0) << of.heard(number).err;
        }
        using by_path = std::map<std::string, std::string>;
        EXPECT_TRUE(files_in(of.heard(left).out) == (by_path{{"left/file", repeated("left")}}));
        EXPECT_TRUE(files_in(of.heard(right).out) == (by_path{{"right/file", repeated("right")}}));
        of.destroy();
    });
}

}    // namespace

INSTANTIATE_TEST_SUITE_P(Runtimes, RuntimePrograms,
    ::testing::Values(bubblewrap_root, bubblewrap_by_bwrap, bubblewrap_other_agent, bubblewrap_v1, bubblewrap_user, docker_root, docker_v1,
        docker_over_stdio, gvisor, process_as_is, process_user, mock_as_is),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace caisson::testing

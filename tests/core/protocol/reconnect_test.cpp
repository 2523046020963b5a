#include "core/protocol/agent_link.hpp"
#include "tests/core/protocol/fake_agent.hpp"
#include "tests/core/protocol/recording_sink.hpp"
#include "tests/support/fake_timers.hpp"
#include "tests/support/run_task.hpp"

namespace caisson::protocol {
namespace {

using namespace std::chrono_literals;
using caisson::testing::fake_timers;
using caisson::testing::run_task;

/// The link's I/O over a fake agent, under a clock that the test moves.
class Reconnect : public ::testing::Test {
protected:
    Reconnect()
    {
        link = make_agent_link(context.get_executor(), time, log, [this] { return connect(this); }, {"test", 3, 100s});
    }

    static task<result<std::unique_ptr<byte_stream>>> connect(Reconnect* self)
    {
        ++self->attempts;
        if (self->refuse)
            co_return error{*self->refuse, "refused"};
        co_return std::make_unique<fake_stream>(self->agent);
    }
    std::optional<errc> open(std::chrono::milliseconds within = 60s)
    {
        const auto opened = run_task(context, link->open(time.steady_now() + within));
        return opened.has_error() ? std::optional(opened.error().code) : std::nullopt;
    }
    void start(task<result<void>> work)
    {
        asio::co_spawn(context.get_executor(), std::move(work), [this](std::exception_ptr failure, result<void> ended) {
            EXPECT_FALSE(failure);
            done = true;
            code = ended.has_error() ? std::optional(ended.error().code) : std::nullopt;
        });
        settle();
    }
    static task<result<void>> ignored(task<result<bool>> work)
    {
        const auto done = co_await std::move(work);
        if (done.has_error())
            co_return done.error();
        co_return result<void>();
    }
    /// Lets everything happen that can without time passing.
    void settle()
    {
        context.restart();
        context.poll();
    }
    void pass(std::chrono::milliseconds by)
    {
        time.advance(by);
        settle();
    }

    asio::io_context context;
    fake_timers time{context.get_executor()};
    null_logger log;
    fake_agent agent{context.get_executor()};
    std::unique_ptr<agent_link> link;
    std::optional<errc> refuse;
    int attempts = 0;
    bool done = false;
    std::optional<errc> code;
};

TEST_F(Reconnect, OpensAtOnce)
{
    EXPECT_EQ(open(), std::nullopt);
    EXPECT_EQ(agent.connections, 1);
}

TEST_F(Reconnect, FindsItsAnswerBehindWhatWasForOthers)
{
    agent.before_answer = "half a frame" + std::string(open_marker);
    encode_frame(agent.before_answer, hello{protocol_version, 9, 12345, 0, {}});
    encode_frame(agent.before_answer, 1, started{1, 1});
    EXPECT_EQ(open(), std::nullopt);
}

struct open_case {
    std::string_view name;
    void (*prepare)(fake_agent&, std::optional<errc>& refuse);
    errc want;
};
void PrintTo(const open_case& c, std::ostream* out) { *out << c.name; }

class ReconnectOpen : public Reconnect, public ::testing::WithParamInterface<open_case> { };

TEST_P(ReconnectOpen, Fails)
{
    GetParam().prepare(agent, refuse);
    EXPECT_EQ(open(), GetParam().want);
    EXPECT_EQ(attempts, 1);
}

INSTANTIATE_TEST_SUITE_P(Cases, ReconnectOpen,
    ::testing::Values(open_case{"unavailable", [](fake_agent&, std::optional<errc>& refuse) { refuse = errc::runtime_unavailable; },
                          errc::runtime_unavailable},
        open_case{"gone", [](fake_agent&, std::optional<errc>& refuse) { refuse = errc::gone; }, errc::gone},
        open_case{"newer_server", [](fake_agent& agent, std::optional<errc>&) { agent.epoch = 4; }, errc::conflict},
        open_case{"other_version", [](fake_agent& agent, std::optional<errc>&) { agent.version = 99; }, errc::gone}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(Reconnect, GoesDownToAnOlderVersion)
{
    agent.version = 1;
    start(link->open(time.steady_now() + 60s));
    pass(100ms);
    EXPECT_TRUE(done);
    EXPECT_EQ(code, std::nullopt);
    EXPECT_EQ(agent.connections, 2);
    EXPECT_EQ(frames_of(std::string_view(agent.heard).substr(open_marker.size())).at(0).as<hello>().version, 1u);
}

TEST_F(Reconnect, AnOlderAgentIsNotAskedToPark)
{
    agent.version = 2;
    start(link->open(time.steady_now() + 60s));
    pass(100ms);
    ASSERT_TRUE(done);
    const auto heard = agent.heard;
    park_request request;
    request.program.argv = {"python3"};
    const auto parked = run_task(context, link->park(1, request, {}, time.steady_now() + 1s));
    ASSERT_TRUE(parked.has_value());
    EXPECT_FALSE(*parked);
    EXPECT_EQ(agent.heard, heard);
}

TEST_F(Reconnect, AnAgentOfVersion3IsAskedToParkAsItKnows)
{
    agent.version = 3;
    start(link->open(time.steady_now() + 60s));
    pass(100ms);
    ASSERT_TRUE(done);
    const auto greeted = agent.heard.size();
    const auto bare = run_task(context, link->park(1, {}, {0}, time.steady_now() + 1s));
    ASSERT_TRUE(bare.has_value());
    EXPECT_FALSE(*bare) << "it has none";
    EXPECT_EQ(agent.heard.size(), greeted);
    park_request request;
    request.program.argv = {"python3"};
    start(ignored(link->park(1, request, {0}, time.steady_now() + 1s)));
    const auto said = frames_of(std::string_view(agent.heard).substr(greeted));
    ASSERT_EQ(said.size(), 1u);
    EXPECT_EQ(said[0].exec, 0u);
    EXPECT_EQ(said[0].as<park_request>().descriptors, 0);
    pass(1s);
}

TEST_F(Reconnect, AParkThatIsNotAnsweredEndsAtItsDeadline)
{
    EXPECT_EQ(open(), std::nullopt);
    park_request request;
    request.program.argv = {"python3"};
    std::optional<errc> ended;
    asio::co_spawn(context.get_executor(), link->park(1, request, {}, time.steady_now() + 1s),
        [&](std::exception_ptr, result<bool> parked) { ended = parked.has_error() ? parked.error().code : errc::internal; });
    settle();
    EXPECT_FALSE(ended.has_value());
    pass(1s);
    EXPECT_EQ(ended, errc::timed_out);
}

TEST_F(Reconnect, TriesAgainWithGrowingPauses)
{
    refuse = errc::internal;
    start(link->open(time.steady_now() + 60s));
    EXPECT_EQ(attempts, 1);
    pass(9ms);
    EXPECT_EQ(attempts, 1);
    pass(1ms);
    EXPECT_EQ(attempts, 2);
    pass(19ms);
    EXPECT_EQ(attempts, 2);
    pass(1ms);
    EXPECT_EQ(attempts, 3);
    refuse.reset();
    pass(40ms);
    EXPECT_TRUE(done);
    EXPECT_EQ(code, std::nullopt);
}

TEST_F(Reconnect, GivesUpAtTheDeadline)
{
    refuse = errc::internal;
    start(link->open(time.steady_now() + 25ms));
    pass(10ms);
    EXPECT_TRUE(done) << "the next attempt would come too late";
    EXPECT_EQ(code, errc::timed_out);
}

TEST_F(Reconnect, ASilentAgentIsNotWaitedForAnyLonger)
{
    agent.silent = true;
    start(link->open(time.steady_now() + 2s));
    EXPECT_FALSE(done);
    pass(2s);
    EXPECT_TRUE(done);
    EXPECT_EQ(code, errc::timed_out);
}

TEST_F(Reconnect, ComesBackAfterABreak)
{
    open();
    start(link->run());
    pass(10s);
    agent.hang_up();
    settle();
    EXPECT_EQ(agent.connections, 2);
    agent.say("this is no frame, and it is long enough");
    settle();
    EXPECT_EQ(agent.connections, 2) << "the second break came too soon";
    pass(1s);
    EXPECT_EQ(agent.connections, 3);
    EXPECT_FALSE(done);
}

TEST_F(Reconnect, EndsWhenTheAgentIsGone)
{
    open();
    start(link->run());
    refuse = errc::gone;
    agent.hang_up();
    settle();
    pass(1s);
    EXPECT_TRUE(done);
    EXPECT_EQ(code, errc::gone);
}

TEST_F(Reconnect, CloseEndsIt)
{
    open();
    start(link->run());
    EXPECT_FALSE(done);
    link->close();
    settle();
    EXPECT_TRUE(done);
    EXPECT_EQ(code, std::nullopt);
}

TEST_F(Reconnect, CloseEndsItWhileItReconnects)
{
    open();
    start(link->run());
    refuse = errc::internal;
    agent.hang_up();
    settle();
    pass(500ms);
    EXPECT_FALSE(done);
    link->close();
    settle();
    EXPECT_TRUE(done);
    EXPECT_EQ(code, std::nullopt);
}

TEST_F(Reconnect, CancellationEndsIt)
{
    open();
    task_group tasks(context.get_executor(), log);
    bool ended = false;
    const auto run = [](agent_link* it, bool* mark) -> task<> {
        try {
            co_await it->run();
        } catch (...) {
            *mark = true;
            throw;
        }
    };
    tasks.spawn("link", run(link.get(), &ended));
    settle();
    const auto stop = [](task_group* group) -> task<> { co_await group->stop(); };
    run_task(context, stop(&tasks));
    EXPECT_TRUE(ended);
    EXPECT_EQ(tasks.size(), 0u);
}

TEST_F(Reconnect, Pings)
{
    open();
    start(link->run());
    const auto before = agent.heard.size();
    pass(25s);
    const auto frames = frames_of(std::string_view(agent.heard).substr(before));
    ASSERT_EQ(frames.size(), 1u);
    EXPECT_EQ(frames[0].type, frame_type::ping);
}

TEST_F(Reconnect, AcknowledgesWhatASinkAccepts)
{
    open();
    start(link->run());
    recording_sink sink;
    sink.on_bytes = [this](stream_number stream, std::uint64_t end) { link->acknowledge(1, stream, end); };
    link->attach(1, sink, resume_point{});
    settle();
    std::string out;
    encode_frame(out, 1, exec_state{exec_phase::running, 0, 3, 0, 0, 0, 100});
    encode_frame(out, 1, output_chunk{stream_number::stdout_stream, 0, "abc"});
    out += "abc";
    out += frame_end;
    agent.say(out);
    settle();
    EXPECT_EQ(sink.out, "abc");
    EXPECT_EQ(frames_of(std::string_view(agent.heard).substr(open_marker.size())).back().as<acknowledgement>().end, 3u);
}

task<result<std::unique_ptr<byte_stream>>> stream_to(fake_agent* agent) { co_return std::make_unique<fake_stream>(*agent); }

/// Frames that are still suspended when the context dies are destroyed, after what they belong to.
TEST(ReconnectEnd, TheContextMayDieWithEverythingSuspended)
{
    bool ended = false;
    {
        asio::io_context context;
        null_logger log;
        fake_timers time(context.get_executor());
        fake_agent agent(context.get_executor());
        const auto link = make_agent_link(context.get_executor(), time, log, [&agent] { return stream_to(&agent); }, {"test", 1});
        const auto all = [](agent_link* it) -> task<> {
            co_await it->open(steady_time::max());
            co_await it->run();
        };
        asio::co_spawn(context.get_executor(), all(link.get()), [&](std::exception_ptr) { ended = true; });
        context.poll();
        EXPECT_EQ(agent.connections, 1);
    }
    EXPECT_FALSE(ended);
}

}    // namespace
}    // namespace caisson::protocol

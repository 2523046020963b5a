#include "tests/core/exec/service_world.hpp"

#include <csignal>

namespace caisson {
namespace {

using namespace std::chrono_literals;
using call = testing::fake_runtime::call;
using written = result<std::uint64_t>;

execution_spec with_stdin(std::string data, bool open)
{
    auto spec = service_world::program();
    spec.stdin_data = shared_bytes(std::move(data));
    spec.stdin_open = open;
    return spec;
}

struct stdin_world : service_world {
    execution_id id;
    stdin_world(std::string data, bool open) : id(run(with_stdin(std::move(data), open))) { }

    written write(std::string data, std::optional<std::uint64_t> offset = {}, bool eof = false)
    {
        return get(service().write_stdin(tenant, id, {std::move(data), offset, eof}, time().steady_now() + 1s));
    }
    errc refusal(std::string data, std::optional<std::uint64_t> offset = {}, bool eof = false)
    {
        const auto outcome = write(std::move(data), offset, eof);
        return outcome.has_error() ? outcome.error().code : errc::internal;
    }
};

TEST(ExecutionStdin, NothingIsTheEndAtOnce)
{
    stdin_world w("", false);
    EXPECT_EQ(w.agent().stdin_text(), "");
    EXPECT_TRUE(w.agent().stdin_ended());
}

TEST(ExecutionStdin, WithTheRequest)
{
    stdin_world w("given", false);
    EXPECT_EQ(w.agent().stdin_text(), "given");
    EXPECT_TRUE(w.agent().stdin_ended());
}

TEST(ExecutionStdin, MoreThanTheWindowArrivesWhole)
{
    const std::string much(3u << 20, 'x');
    stdin_world w(much, false);
    EXPECT_EQ(w.agent().stdin_text().size(), much.size());
    EXPECT_TRUE(w.agent().stdin_ended());
}

TEST(ExecutionStdin, LaterInPartsThenItsEnd)
{
    stdin_world w("a", true);
    EXPECT_EQ(w.write("bc").value(), 3u);
    EXPECT_EQ(w.agent().stdin_text(), "abc");
    EXPECT_FALSE(w.agent().stdin_ended());
    EXPECT_EQ(w.write("d", std::nullopt, true).value(), 4u);
    EXPECT_EQ(w.agent().stdin_text(), "abcd");
    EXPECT_TRUE(w.agent().stdin_ended());
}

TEST(ExecutionStdin, OnlyTheEnd)
{
    stdin_world w("", true);
    EXPECT_FALSE(w.agent().stdin_ended());
    EXPECT_EQ(w.write("", std::nullopt, true).value(), 0u);
    EXPECT_TRUE(w.agent().stdin_ended());
    EXPECT_EQ(w.write("", std::nullopt, true).value(), 0u);    // may be said again
}

TEST(ExecutionStdin, ARepeatIsTakenOnce)
{
    stdin_world w("", true);
    EXPECT_EQ(w.write("hello", 0).value(), 5u);
    EXPECT_EQ(w.write("hello", 0).value(), 5u);
    EXPECT_EQ(w.write("lo world", 3).value(), 11u);
    EXPECT_EQ(w.agent().stdin_text(), "hello world");
}

TEST(ExecutionStdin, AHoleIsRefused)
{
    stdin_world w("ab", true);
    EXPECT_EQ(w.refusal("x", 3), errc::conflict);
    EXPECT_EQ(w.write("c", 2).value(), 3u);
    EXPECT_EQ(w.agent().stdin_text(), "abc");
}

TEST(ExecutionStdin, ClosedIsRefused)
{
    stdin_world never("x", false);
    EXPECT_EQ(never.refusal("y"), errc::conflict);
    EXPECT_EQ(never.agent().stdin_text(), "x");
    stdin_world closed("", true);
    EXPECT_EQ(closed.write("a", std::nullopt, true).value(), 1u);
    EXPECT_EQ(closed.refusal("b"), errc::conflict);
    EXPECT_EQ(closed.write("a", 0, true).value(), 1u);    // a repeat is not
}

TEST(ExecutionStdin, AfterTheEndIsRefused)
{
    stdin_world w("", true);
    w.agent().exit(0);
    w.ended(w.id);
    EXPECT_EQ(w.refusal("x"), errc::conflict);
}

TEST(ExecutionStdin, TooMuchUnreadIsRefused)
{
    stdin_world w("", true);
    w.agent().stop_reading();
    const auto until = w.time().steady_now() + 1s;
    const auto first = w.begin(w.service().write_stdin(w.tenant, w.id, {std::string(64u << 20, 'x'), {}, false}, until));
    EXPECT_FALSE(first->done());
    EXPECT_EQ(w.refusal(std::string((1u << 20) + 1, 'y')), errc::rate_limited);    // the agent holds a MiB
    w.advance(1s);
    EXPECT_EQ(first->value->value(), 1u << 20);    // the rest would be lost with this server
}

TEST(ExecutionStdin, AWriterIsReleasedByTheEnd)
{
    stdin_world w("", true);
    w.agent().stop_reading();
    const auto writer =
        w.begin(w.service().write_stdin(w.tenant, w.id, {std::string(2u << 20, 'x'), {}, false}, w.time().steady_now() + 1h));
    w.agent().exit(0);
    w.ended(w.id);
    EXPECT_TRUE(writer->done());
}

TEST(ExecutionStdin, BeforeTheStartIsKept)
{
    service_world w;
    w.runtime.gate_of(call::connect).cork();
    const auto id = w.submit(with_stdin("1", true));
    const auto writer = w.begin(w.service().write_stdin(w.tenant, id, {"2", {}, true}, w.time().steady_now() + 1s));
    EXPECT_FALSE(writer->done());
    w.runtime.gate_of(call::connect).uncork();
    w.turn();
    EXPECT_EQ(writer->value->value(), 2u);
    EXPECT_EQ(w.agent().stdin_text(), "12");
    EXPECT_TRUE(w.agent().stdin_ended());
}

TEST(ExecutionStdin, SurvivesBrokenConnections)
{
    stdin_world w("one", true);
    for (const auto* part : {" two", " three"}) {
        w.agent().disconnect();
        const auto writer = w.begin(w.service().write_stdin(w.tenant, w.id, {part, {}, false}, w.time().steady_now() + 5s));
        EXPECT_TRUE(w.advance_until([&] { return writer->done(); }));
    }
    EXPECT_EQ(w.agent().stdin_text(), "one two three");
}

TEST(ExecutionSignal, ReachesLeaderOrGroup)
{
    service_world w;
    const auto id = w.run();
    w.agent().ignored_signals = {SIGUSR1, SIGINT};
    using target = protocol::agent_link::target;
    EXPECT_TRUE(w.get(w.service().signal(w.tenant, id, SIGUSR1, target::leader)).has_value());
    EXPECT_TRUE(w.get(w.service().signal(w.tenant, id, SIGINT, target::group)).has_value());
    ASSERT_EQ(w.agent().signals.size(), 2u);
    EXPECT_EQ(w.agent().signals[0].number, unsigned{SIGUSR1});
    EXPECT_FALSE(w.agent().signals[0].group);
    EXPECT_TRUE(w.agent().signals[1].group);
}

TEST(ExecutionResize, ReachesTheTerminal)
{
    service_world w;
    auto spec = w.program();
    spec.pty = pty_size{80, 24};
    const auto id = w.run(spec);
    EXPECT_TRUE(w.get(w.service().resize(w.tenant, id, {120, 50})).has_value());
    ASSERT_EQ(w.agent().sizes.size(), 1u);
    EXPECT_EQ(w.agent().sizes[0].cols, 120);
    EXPECT_EQ(w.agent().sizes[0].rows, 50);
    w.agent().print("tty");
    w.agent().exit(0);
    w.ended(id);
    EXPECT_EQ(w.stored(id), "[queued][running]1:tty[usage][exit]");
}

TEST(ExecutionResize, NeedsATerminal)
{
    service_world w;
    const auto id = w.run();
    EXPECT_EQ(w.get(w.service().resize(w.tenant, id, {120, 50})).error().code, errc::conflict);
}

TEST(ExecutionSignal, BeforeTheStartAndAfterTheEndIsAConflict)
{
    service_world w;
    w.runtime.gate_of(call::connect).cork();
    auto spec = w.program();
    spec.pty = pty_size{80, 24};
    const auto id = w.submit(spec);
    const auto refused = [&] {
        const auto signalled = w.get(w.service().signal(w.tenant, id, SIGINT, protocol::agent_link::target::group));
        const auto resized = w.get(w.service().resize(w.tenant, id, {1, 1}));
        return signalled.error().code == errc::conflict && resized.error().code == errc::conflict;
    };
    EXPECT_TRUE(refused());
    w.runtime.gate_of(call::connect).uncork();
    w.turn();
    w.agent().exit(0);
    w.ended(id);
    EXPECT_TRUE(refused());
    for (const auto& each : w.agent().signals)
        EXPECT_NE(each.number, unsigned{SIGINT});
}

}    // namespace
}    // namespace caisson

// What the agent collects by itself comes with the end of its program.

#include "core/exec/collect/files_at_end.hpp"
#include "tests/core/exec/collect_streams.hpp"

#include <gmock/gmock.h>

namespace caisson {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class FilesAtEnd : public ::testing::Test {
protected:
    std::vector<artifact_row> kept(const execution_id& id) { return w.get(w.executions.artifacts().list(w.tenant, id, "", 100)).value(); }

    service_world w;
};

TEST_F(FilesAtEnd, AreAskedForWithTheProgram)
{
    w.run(collecting());
    ASSERT_TRUE(w.agent().asked_at_end);
    const auto& argv = w.agent().asked_at_end->argv;
    EXPECT_EQ(argv[0] + " " + argv[1] + " " + argv[2], "/proc/self/exe --collect-at-end 1");
    EXPECT_EQ(argv.back(), "out/**");
}

TEST_F(FilesAtEnd, AreKeptWithoutACollector)
{
    const auto id = w.run(collecting());
    w.agent().collected_at_end = says(stream_of({{"out/a", "one"}, {"out/b", "two"}}));
    w.agent().exit(3);
    const auto& row = w.ended(id);
    ASSERT_TRUE(row.collected);
    EXPECT_EQ(row.collected->files, 2);
    EXPECT_EQ(row.collected->error, "");
    EXPECT_TRUE(row.collected->partial);
    ASSERT_THAT(kept(id), SizeIs(2));
    EXPECT_EQ(w.contents.bytes(kept(id)[1].content), "two");
    EXPECT_THAT(w.agent().collections, IsEmpty());
}

TEST_F(FilesAtEnd, AreCollectedByACollectorWhereTheAgentDoesNot)
{
    const auto id = w.run(collecting());
    w.agent().collected = says(stream_of({{"out/a", "one"}}));
    w.agent().exit(0);
    EXPECT_EQ(w.ended(id).collected->files, 1);
    EXPECT_THAT(w.agent().collections, SizeIs(1));
}

TEST_F(FilesAtEnd, AreCollectedAnewWhereMoreCameThanMay)
{
    const auto id = w.run(collecting());
    w.agent().collected_at_end = says(stream_of({{"out/a", std::string(protocol::most_collected_at_end, 'x')}}));
    w.agent().collected = says(stream_of({{"out/a", "one"}}));
    w.agent().exit(0);
    EXPECT_EQ(w.ended(id).collected->files, 1);
    EXPECT_EQ(w.contents.bytes(kept(id)[0].content), "one");
    EXPECT_THAT(w.agent().collections, SizeIs(1));
}

TEST_F(FilesAtEnd, AreCheckedAsIfAStrangerHadSentThem)
{
    const auto id = w.run(collecting());
    w.agent().collected_at_end = says(stream_of({{"elsewhere", "one"}}));
    w.agent().exit(0);
    EXPECT_EQ(w.ended(id).collected->error, "the sandbox's agent sent what it was not asked for: a file that no pattern means");
    const auto other = w.run(collecting());
    w.agent(1).collected_at_end = says("no such stream");
    w.agent(1).exit(0);
    EXPECT_EQ(w.ended(other).collected->error, "what the sandbox's agent says makes no sense");
    EXPECT_THAT(kept(id), IsEmpty());
}

TEST_F(FilesAtEnd, AreNotAskedForWhereTheAgentIsNotInTheSandbox)
{
    w.runtime.host.isolates = false;
    const auto id = w.run(collecting());
    EXPECT_FALSE(w.agent().asked_at_end);
    w.agent().exit(0);
    EXPECT_EQ(w.ended(id).collected->error, "");
    EXPECT_THAT(w.agent().collections, SizeIs(1));
}

TEST_F(FilesAtEnd, AreNotAskedForWhereNothingIsCollected)
{
    w.run();
    EXPECT_FALSE(w.agent().asked_at_end);
}

TEST_F(FilesAtEnd, OfAnAttemptThatIsRepeatedAreDropped)
{
    auto spec = collecting();
    spec.retry.attempts = 2;
    spec.retry.exit_codes = {3};
    const auto id = w.run(spec);
    w.agent().collected_at_end = says(stream_of({{"out/a", "first"}}));
    w.agent().exit(3);
    ASSERT_TRUE(w.advance_until([&] { return w.runtime.created() == 2 && w.agent(1).is_running(); }));
    ASSERT_TRUE(w.agent(1).asked_at_end);
    w.agent(1).collected_at_end = says(stream_of({{"out/a", "second"}}));
    w.agent(1).exit(0);
    EXPECT_EQ(w.ended(id).attempts.size(), 2u);
    ASSERT_THAT(kept(id), SizeIs(1));
    EXPECT_EQ(w.contents.bytes(kept(id)[0].content), "second");
}

TEST_F(FilesAtEnd, AreCollectedByTheNextServerIfThisOneDiesFirst)
{
    const auto id = w.run(collecting());
    w.kill_server();
    w.agent().collected_at_end = says(stream_of({{"out/a", "unheard"}}));
    w.agent().collected = says(stream_of({{"out/a", "heard"}}));
    w.agent().exit(0);
    ASSERT_TRUE(w.start_server().has_value());
    EXPECT_EQ(w.ended(id).collected->files, 1);
    EXPECT_EQ(w.contents.bytes(kept(id)[0].content), "heard");
}

TEST_F(FilesAtEnd, AreHeardOverTheNextConnection)
{
    const auto id = w.run(collecting());
    w.agent().disconnect();
    w.agent().collected_at_end = says(stream_of({{"out/a", "one"}}));
    w.agent().exit(0);
    EXPECT_EQ(w.ended(id).collected->files, 1);
    EXPECT_THAT(w.agent().collections, IsEmpty());
}

/// Hears what is ordered, and does nothing.
class silent_link final : public protocol::agent_link {
public:
    std::size_t attached = 0;

    task<result<void>> open(steady_time) override { co_return result<void>(); }
    task<result<bool>> park(protocol::exec_number, protocol::park_request, std::vector<int>, steady_time) override { co_return false; }
    task<result<void>> run() override { co_return result<void>(); }
    void close() noexcept override { }
    void attach(protocol::exec_number, protocol::execution_sink&, std::optional<protocol::resume_point>) override { ++attached; }
    void detach(protocol::exec_number) override { --attached; }
    void put_file(protocol::exec_number, std::string, std::uint32_t, shared_bytes) override { }
    void spawn(protocol::exec_number, protocol::spawn_request, std::vector<int>) override { }
    void send_stdin(protocol::exec_number, std::uint64_t, shared_bytes) override { }
    void end_stdin(protocol::exec_number, std::uint64_t) override { }
    std::uint64_t stdin_backlog(protocol::exec_number) const override { return 0; }
    void acknowledge(protocol::exec_number, protocol::stream_number, std::uint64_t) override { }
    bool signal(protocol::exec_number, int, target) override { return true; }
    void resize(protocol::exec_number, std::uint16_t, std::uint16_t) override { }
    void forget(protocol::exec_number) override { }
    void shutdown() override { }
};

class FilesAtEndAlone : public ::testing::Test {
protected:
    using stream = protocol::stream_number;
    using state = files_at_end::state;

    void end(int wait_status = 0)
    {
        files.on_exited({.wait_status = wait_status});
        files.on_eof(stream::stdout_stream, 3);
        files.on_eof(stream::stderr_stream, 0);
    }

    std::shared_ptr<silent_link> link = std::make_shared<silent_link>();
    int heard = 0;
    files_at_end files{link, 9, {}, [this] { ++heard; }};
};

TEST_F(FilesAtEndAlone, AreWholeOnceAllCame)
{
    EXPECT_EQ(link->attached, 1u);
    files.on_started(0, 0);
    files.on_output(stream::stdout_stream, 0, shared_bytes("one"));
    EXPECT_EQ(files.now(), state::awaited);
    end();
    EXPECT_EQ(files.now(), state::whole);
    EXPECT_EQ(heard, 1);
    files.on_gap(stream::stdout_stream, 3, 1);
    files.on_output(stream::stderr_stream, 0, shared_bytes("late"));
    files.on_unknown();
    EXPECT_EQ(files.now(), state::whole) << "nothing changes that";
    EXPECT_EQ(heard, 1);
}

struct refusal_case {
    std::string_view name;
    void (*comes)(files_at_end&);
};
void PrintTo(const refusal_case& c, std::ostream* out) { *out << c.name; }

class FilesAtEndRefused : public FilesAtEndAlone, public ::testing::WithParamInterface<refusal_case> { };

TEST_P(FilesAtEndRefused, StayRefused)
{
    GetParam().comes(files);
    EXPECT_EQ(files.now(), state::refused);
    end();
    EXPECT_EQ(files.now(), state::refused);
    EXPECT_EQ(heard, 1);
}

INSTANTIATE_TEST_SUITE_P(Cases, FilesAtEndRefused,
    ::testing::Values(refusal_case{"gap", [](files_at_end& to) { to.on_gap(protocol::stream_number::stdout_stream, 0, 1); }},
        refusal_case{"stderr", [](files_at_end& to) { to.on_output(protocol::stream_number::stderr_stream, 0, shared_bytes("x")); }},
        refusal_case{"not_begun", [](files_at_end& to) { to.on_start_failed(16, "collect"); }},
        refusal_case{"unknown", [](files_at_end& to) { to.on_unknown(); }},
        refusal_case{"exit_code", [](files_at_end& to) { to.on_exited({.wait_status = protocol::cannot_collect_at_end << 8}); }},
        refusal_case{"too_much",
            [](files_at_end& to) {
                const shared_bytes half(std::string(40'000, 'x'));
                to.on_output(protocol::stream_number::stdout_stream, 0, half);
                to.on_output(protocol::stream_number::stdout_stream, 40'000, half);
            }}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace
}    // namespace caisson

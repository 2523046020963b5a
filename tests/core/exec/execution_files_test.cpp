// What an execution leaves is collected once it has ended, whatever its end, and is in its record.

#include "core/files/janitor.hpp"
#include "tests/core/exec/collect_streams.hpp"

#include <gmock/gmock.h>

#include <csignal>

namespace caisson {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ExecutionFiles : public ::testing::Test {
protected:
    /// Runs, with a collector that sends these.
    execution_id run(std::vector<std::pair<std::string, std::string>> files, execution_spec spec = collecting())
    {
        const auto id = w.run(std::move(spec));
        w.agent().collected = [files](const protocol::spawn_request&) { return stream_of(files); };
        return id;
    }
    std::vector<artifact_row> kept(const execution_id& id) { return w.get(w.executions.artifacts().list(w.tenant, id, "", 100)).value(); }

    service_world w;
};

TEST_F(ExecutionFiles, AreInTheRecordOfASuccess)
{
    const auto id = run({{"out/a", "one"}, {"out/b", std::string(3'000'000, 'x')}});
    w.agent().exit(0);
    const auto& row = w.ended(id);
    ASSERT_TRUE(row.collected);
    EXPECT_EQ(row.collected->files, 2);
    EXPECT_EQ(row.collected->error, "");
    EXPECT_FALSE(row.collected->partial);
    const auto rows = kept(id);
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(w.contents.bytes(rows[0].content), "one");
    EXPECT_FALSE(rows[0].partial);
    EXPECT_EQ(w.runtime.live(), 0u);
}

TEST_F(ExecutionFiles, AreAskedForOutsideTheGroupAndUnderLimits)
{
    const auto id = run({});
    w.agent().exit(0);
    w.ended(id);
    ASSERT_EQ(w.agent().collections.size(), 1u);
    const auto& asked = w.agent().collections[0];
    EXPECT_EQ(asked.argv.front(), "/proc/self/exe");
    EXPECT_EQ(asked.argv.back(), "out/**");
    EXPECT_EQ(asked.seccomp_filter, "a filter");
    EXPECT_GT(asked.wall_ms, 60'000u);
    EXPECT_FALSE(asked.rlimits.empty());
    EXPECT_TRUE(asked.env.empty());
    EXPECT_EQ(w.box().group_kills, 1u);
}

TEST_F(ExecutionFiles, NothingIsCollectedUnlessItIsAskedFor)
{
    const auto id = w.run();
    w.agent().exit(0);
    EXPECT_FALSE(w.ended(id).collected);
    EXPECT_THAT(w.agent().collections, IsEmpty());
}

struct end_case {
    std::string_view name;
    void (*ends)(service_world&, const execution_id&);
    execution_status status;
};
void PrintTo(const end_case& c, std::ostream* out) { *out << c.name; }

class ExecutionFilesOf : public ExecutionFiles, public ::testing::WithParamInterface<end_case> { };

TEST_P(ExecutionFilesOf, EveryEndAreKeptAsPartial)
{
    const auto id = run({{"out/a", "half"}});
    GetParam().ends(w, id);
    const auto& row = w.ended(id);
    EXPECT_EQ(row.status, GetParam().status);
    ASSERT_TRUE(row.collected);
    EXPECT_TRUE(row.collected->partial);
    ASSERT_EQ(kept(id).size(), 1u);
    EXPECT_TRUE(kept(id)[0].partial);
}

INSTANTIATE_TEST_SUITE_P(Cases, ExecutionFilesOf,
    ::testing::Values(end_case{"failure", [](service_world& w, const execution_id&) { w.agent().exit(3); }, execution_status::failed},
        end_case{"signal", [](service_world& w, const execution_id&) { w.agent().end_by(SIGSEGV); }, execution_status::failed},
        end_case{"timeout",
            [](service_world& w, const execution_id&) {
                w.agent().usage.cause = protocol::exit_cause::wall_limit;
                w.agent().end_by(SIGTERM);
            },
            execution_status::timeout},
        end_case{"cancel", [](service_world& w, const execution_id& id) { static_cast<void>(w.cancel(id)); }, execution_status::cancelled}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(ExecutionFiles, OfALostAgentAreToldAsMissing)
{
    const auto id = run({{"out/a", "1"}});
    w.agent().die("somebody killed it");
    const auto& row = w.ended(id);
    EXPECT_EQ(row.status, execution_status::interrupted);
    ASSERT_TRUE(row.collected);
    EXPECT_THAT(row.collected->error, HasSubstr("somebody killed it"));
    EXPECT_EQ(row.collected->files, 0);
}

TEST_F(ExecutionFiles, AnAgentThatIsLostMeanwhileChangesNoStatus)
{
    const auto id = run({});
    w.agent().collected = [](const protocol::spawn_request&) { return std::string(protocol::collect_magic); };
    w.agent().collector_hangs = true;
    w.agent().exit(0);
    w.advance(100ms);
    EXPECT_FALSE(w.has_ended(id));
    w.agent().die("somebody killed it");
    const auto& row = w.ended(id);
    EXPECT_EQ(row.status, execution_status::success);
    EXPECT_THAT(row.collected->error, HasSubstr("lost while its files were collected"));
}

TEST_F(ExecutionFiles, ACollectorThatHangsIsNotWaitedForForEver)
{
    const auto id = run({{"out/a", "1"}});
    w.agent().collected = [](const protocol::spawn_request&) {
        auto whole = stream_of({{"out/a", "1"}});
        return whole.substr(0, whole.size() - 21);    // without DONE
    };
    w.agent().collector_hangs = true;
    w.agent().exit(0);
    w.advance(200s, 1s);
    const auto& row = w.ended(id);
    EXPECT_EQ(row.status, execution_status::success);
    EXPECT_THAT(row.collected->error, HasSubstr("not collected in time"));
    EXPECT_EQ(kept(id).size(), 1u);    // what was whole
}

TEST_F(ExecutionFiles, ADiskThatIsFullEndsTheCollectingOnly)
{
    const auto id = run({{"out/a", "1"}});
    w.contents.fail_next({errc::runtime_unavailable, "the disk is full"});
    w.agent().exit(0);
    const auto& row = w.ended(id);
    EXPECT_EQ(row.status, execution_status::success);
    EXPECT_EQ(row.collected->error, "the disk is full");
    EXPECT_THAT(kept(id), IsEmpty());
    EXPECT_EQ(w.contents.size(), 0u);
}

TEST_F(ExecutionFiles, ABrokenLinkIsMended)
{
    const auto id = run({{"out/a", std::string(5'000'000, 'x')}});
    int breaks = 0;
    w.agent().exit(0);
    while (!w.has_ended(id) && breaks < 5) {
        w.advance(20ms);
        if (!w.agent().collections.empty() && ++breaks < 4)
            w.agent().disconnect();
    }
    EXPECT_EQ(w.ended(id).collected->bytes, 5'000'000);
    EXPECT_EQ(w.agent().collections.size(), 1u);
}

TEST_F(ExecutionFiles, AServerThatDiesMeanwhileLeavesThemToTheNext)
{
    const auto id = run({});
    w.agent().collected = [this](const protocol::spawn_request&) {
        const auto whole = stream_of({{"out/a", "1"}, {"out/b", "2"}});
        return w.agent().collector_hangs ? whole.substr(0, whole.size() - 21) : whole;    // without DONE
    };
    w.agent().collector_hangs = true;
    w.agent().exit(0);
    w.advance(100ms);
    EXPECT_FALSE(w.has_ended(id));
    EXPECT_EQ(w.agent().collections.size(), 1u);
    w.agent().collector_hangs = false;
    w.restart(1s);
    const auto& row = w.ended(id);
    EXPECT_EQ(row.status, execution_status::success);
    EXPECT_EQ(row.collected->files, 2);
    EXPECT_EQ(row.collected->error, "");
    EXPECT_EQ(kept(id).size(), 2u);
    EXPECT_EQ(w.agent().collections.size(), 2u);
}

TEST_F(ExecutionFiles, AServerThatDiesBeforeItsRecordIsFinalLeavesThemToTheNext)
{
    const auto id = run({{"out/a", "1"}});
    w.begin_log();
    w.agent().exit(0);
    for (int i = 0; i < 50; ++i)
        w.executions.fail_next({errc::runtime_unavailable, "the disk is full"});
    w.advance(2s);
    EXPECT_FALSE(w.has_ended(id));
    EXPECT_THAT(w.stored(id), HasSubstr("[exit]"));
    w.kill_server();
    w.executions.heal();
    w.contents.forget(w.contents.keep(w.tenant, "x").id);
    ASSERT_TRUE(w.start_server(1s).has_value());
    const auto waiting = w.begin(w.service().wait(w.tenant, id, steady_time::max()));
    const auto& row = w.ended(id);
    ASSERT_TRUE(waiting->done());
    EXPECT_EQ(waiting->value->value().status, execution_status::success);
    EXPECT_EQ(row.status, execution_status::success);
    ASSERT_TRUE(row.collected);
    EXPECT_EQ(row.collected->error, "");
    EXPECT_EQ(kept(id).size(), 1u);
    EXPECT_EQ(w.runtime.live(), 0u);
}

TEST_F(ExecutionFiles, OfALaterAttemptAreLeftToTheNextServerToo)
{
    auto spec = collecting();
    spec.retry.attempts = 2;
    spec.retry.exit_codes = {75};
    const auto id = w.run(spec);
    w.agent().print("much of the first attempt");
    w.agent().exit(75);
    ASSERT_TRUE(w.advance_until([&] { return w.runtime.created() == 2; }));
    w.agent(1).collected = [](const protocol::spawn_request&) { return stream_of({{"out/a", "1"}}); };
    w.agent(1).print("little");
    w.agent(1).exit(0);
    for (int i = 0; i < 50; ++i)
        w.executions.fail_next({errc::runtime_unavailable, "the disk is full"});
    w.advance(2s);
    EXPECT_THAT(w.stored(id), HasSubstr("[exit]"));
    EXPECT_FALSE(w.has_ended(id));
    w.kill_server();
    w.executions.heal();
    ASSERT_TRUE(w.start_server(1s).has_value());
    const auto& row = w.ended(id);
    EXPECT_EQ(row.status, execution_status::success);
    ASSERT_TRUE(row.collected);
    EXPECT_EQ(row.collected->error, "");
    EXPECT_EQ(kept(id).size(), 1u);
    EXPECT_EQ(w.agent(1).connections, 2u) << "the agent was understood at once";
    EXPECT_EQ(w.runtime.live(), 0u);
}

TEST_F(ExecutionFiles, AreNotTakenAwayWhileTheirRecordCannotBeStored)
{
    const auto id = run({{"out/a", "1"}});
    w.agent().exit(0);
    for (int i = 0; i < 20; ++i)
        w.executions.fail_next({errc::runtime_unavailable, "the disk is full"});
    w.advance(2s);
    ASSERT_FALSE(w.has_ended(id));
    janitor tidy({w.time(), w.log, w.contents, w.executions.artifacts()}, {});
    EXPECT_EQ(w.get(tidy.clean())->unnamed, 0u);
    w.ended(id);
    ASSERT_EQ(kept(id).size(), 1u);
    EXPECT_EQ(w.contents.bytes(kept(id)[0].content), "1");
    w.executions.artifacts().remove(w.tenant, id);
    janitor next({w.time(), w.log, w.contents, w.executions.artifacts()}, {});
    EXPECT_EQ(w.get(next.clean())->unnamed, 1u) << "nothing holds them any more";
}

TEST_F(ExecutionFiles, ACancelEndsTheCollectingAndChangesNoStatus)
{
    const auto id = run({});
    w.agent().collected = [](const protocol::spawn_request&) {
        const auto whole = stream_of({{"out/a", "1"}});
        return whole.substr(0, whole.size() - 21);    // without DONE
    };
    w.agent().collector_hangs = true;
    w.agent().exit(0);
    w.advance(100ms);
    EXPECT_FALSE(w.has_ended(id));
    ASSERT_TRUE(w.cancel(id).has_value());
    w.advance(100ms);
    ASSERT_TRUE(w.has_ended(id));
    EXPECT_EQ(w.row(id).status, execution_status::success);
    EXPECT_EQ(w.row(id).collected->error, "the execution was cancelled while its files were collected");
    EXPECT_EQ(kept(id).size(), 1u) << "what was whole";
}

TEST_F(ExecutionFiles, AStoreThatCannotBeginEndsTheCollectingOnly)
{
    w.contents.broken_batches = 1;
    const auto id = run({{"out/a", "1"}});
    w.agent().exit(0);
    const auto& row = w.ended(id);
    EXPECT_EQ(row.status, execution_status::success);
    EXPECT_EQ(row.collected->error, "its files could not be collected: the server failed");
    EXPECT_EQ(w.log.errors, std::vector<std::string>{"files of an execution could not be collected"});
}

}    // namespace
}    // namespace caisson

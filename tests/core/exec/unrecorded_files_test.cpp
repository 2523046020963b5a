// Files that come with the end of a program whose execution is not recorded yet.

#include "core/exec/skill/skill_program.hpp"
#include "tests/core/exec/collect_streams.hpp"
#include "tests/core/exec/warm_pool_fixture.hpp"

#include <gmock/gmock.h>

namespace caisson {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using submit_answer = std::shared_ptr<pending<result<execution_service::submission>>>;

/// In a ready sandbox, for a caller who waits for the end: docs/adr/0019.
class UnrecordedFiles : public WarmPool {
protected:
    UnrecordedFiles() { keep(); }
    submit_answer begin(execution_spec spec = collecting())
    {
        auto answer = w.begin(w.service().submit_awaited(w.tenant, std::move(spec)));
        w.turn();
        EXPECT_TRUE(agent().is_running());
        return answer;
    }
    testing::fake_agent& agent() { return *w.box(0).agent; }
    std::vector<artifact_row> kept(const execution_id& id) { return w.get(w.executions.artifacts().list(w.tenant, id, "", 100)).value(); }
};

TEST_F(UnrecordedFiles, AreRecordedWithTheEndAtOnce)
{
    const auto answer = begin();
    agent().collected_at_end = says(stream_of({{"out/a", "one"}}));
    agent().exit(0);
    w.turn();
    ASSERT_TRUE(answer->value && answer->value->has_value()) << "no time has passed";
    const auto id = (*answer->value)->row.id;
    EXPECT_EQ(w.row(id).collected->files, 1);
    ASSERT_THAT(kept(id), SizeIs(1));
    EXPECT_EQ(w.contents.bytes(kept(id)[0].content), "one");
    EXPECT_EQ(w.sandboxes.size(), 0u);
    EXPECT_EQ(w.executions.size(), 1u);
}

TEST_F(UnrecordedFiles, ThatAreNotThereInTimeAreWaitedForOnceItIsRecorded)
{
    const auto answer = begin();
    agent().holds_collected = true;
    agent().collected_at_end = says(stream_of({{"out/a", "one"}}));
    agent().exit(0);
    w.advance(4ms, 1ms);
    EXPECT_FALSE(answer->done());
    w.advance(1ms, 1ms);
    ASSERT_TRUE(answer->value && answer->value->has_value());
    w.advance(500ms);
    agent().tell_collected();
    const auto& row = w.ended((*answer->value)->row.id);
    EXPECT_EQ(row.status, execution_status::success);
    EXPECT_EQ(row.collected->files, 1);
    EXPECT_THAT(agent().collections, IsEmpty());
}

TEST_F(UnrecordedFiles, OfAnAgentThatDiesBehindItsWordOfTheEndAreLostAndTheEndIsNot)
{
    const auto answer = begin();
    agent().holds_collected = true;
    agent().collected_at_end = says(stream_of({{"out/a", "one"}}));
    agent().exit(0);
    w.advance(1ms, 1ms);
    EXPECT_FALSE(answer->done());
    agent().die("the kernel had no memory");
    w.advance(5s);
    ASSERT_TRUE(answer->value && answer->value->has_value());
    const auto& row = w.ended((*answer->value)->row.id);
    EXPECT_EQ(row.status, execution_status::success);
    EXPECT_EQ(row.exit_code, 0);
    ASSERT_TRUE(row.collected);
    EXPECT_EQ(row.collected->files, 0);
    EXPECT_FALSE(row.collected->error.empty());
    EXPECT_THAT(kept(row.id), IsEmpty());
}

TEST_F(UnrecordedFiles, ThatDoNotComeAreCollectedByACollector)
{
    const auto answer = begin();
    agent().holds_collected = true;
    agent().collected = says(stream_of({{"out/a", "one"}}));
    agent().exit(0);
    w.advance(900ms);
    ASSERT_TRUE(answer->value && answer->value->has_value());
    EXPECT_THAT(agent().collections, IsEmpty());
    EXPECT_EQ(w.ended((*answer->value)->row.id).collected->files, 1);
    EXPECT_THAT(agent().collections, SizeIs(1));
}

TEST_F(UnrecordedFiles, AServerThatStopsWaitsForTheirRecord)
{
    const auto answer = begin();
    w.executions.cork();
    agent().collected_at_end = says(stream_of({{"out/a", "one"}}));
    agent().exit(0);
    const auto stop = w.begin(w.service().hand_over(w.time().steady_now() + 10s));
    w.advance(50ms);
    EXPECT_FALSE(stop->done() || answer->done());
    w.executions.uncork();
    EXPECT_TRUE(w.advance_until([&] { return stop->done(); }));
    ASSERT_TRUE(answer->value && answer->value->has_value());
    EXPECT_THAT(kept((*answer->value)->row.id), SizeIs(1));
}

TEST_F(UnrecordedFiles, AServerThatDiesBeforeTheirRecordLeavesNoneOfThem)
{
    const auto answer = begin();
    agent().holds_collected = true;
    agent().collected_at_end = says(stream_of({{"out/a", "one"}}));
    agent().exit(0);
    w.advance(4ms, 1ms);
    w.kill_server();
    agent().tell_collected();
    ASSERT_TRUE(w.start_server().has_value());
    EXPECT_TRUE(w.advance_until([&] { return w.box(0).destroyed; })) << "nobody names it";
    EXPECT_EQ(w.executions.size(), 0u);
    EXPECT_THAT(w.get(w.executions.artifacts().tenants()).value(), IsEmpty());
}

TEST_F(UnrecordedFiles, ThatNeedACollectorAreRecordedBehindTheBegin)
{
    const auto answer = begin();
    agent().collected = says(stream_of({{"out/a", "one"}}));
    agent().exit(0);
    w.turn();
    ASSERT_TRUE(answer->value && answer->value->has_value()) << "no time has passed";
    const auto id = (*answer->value)->row.id;
    EXPECT_EQ(w.ended(id).collected->files, 1);
    EXPECT_EQ(w.sandboxes.size(), 1u);
}

TEST_F(UnrecordedFiles, OfARunThatCannotBeRecordedBelongToNobody)
{
    const auto answer = begin();
    w.executions.fail_next({errc::internal, "disk is broken"});
    agent().collected_at_end = says(stream_of({{"out/a", "one"}}));
    agent().exit(0);
    w.turn();
    ASSERT_TRUE(answer->value && answer->value->has_error());
    EXPECT_TRUE(w.advance_until([&] { return w.box(0).destroyed && w.running() == 0; }));
    EXPECT_EQ(w.executions.size(), 0u);
    EXPECT_THAT(w.get(w.executions.artifacts().tenants()).value(), IsEmpty());
}

class UnrecordedSkill : public UnrecordedFiles {
protected:
    UnrecordedSkill()
    {
        w.trees.packages["abcd"];
        skill.kind = execution_kind::skill;
        skill.skill = skill_run{.name = "count", .version = "1.0.0", .digest = "abcd", .image = "bash:5", .interpreter = "/bin/bash"};
        skill.argv = {"/bin/bash", "/sandbox/scripts/main.sh"};
        skill.input = shared_bytes("[1]");
        skill.collect = skill_collect({});
        run_at_once(3, skill);
        EXPECT_TRUE(w.advance_until([&] { return ready() >= 4; }));
        before = w.executions.size();
    }
    testing::fake_agent& running()
    {
        for (std::size_t i = 0; i < w.runtime.created(); ++i)
            if (w.box(i).agent && w.box(i).agent->is_running())
                return *w.box(i).agent;
        throw std::logic_error("nothing runs");
    }

    execution_spec skill = service_world::program();
    std::size_t before = 0;
};

TEST_F(UnrecordedSkill, HasItsOutputInItsOnlyRecord)
{
    skill.webhook.emplace("https://example.org/hook", "secret");
    const auto answer = w.begin(w.service().submit_awaited(w.tenant, skill));
    w.turn();
    EXPECT_EQ(w.executions.size(), before) << "it waits for the end";
    running().collected_at_end = says(output_stream_of("[7]"));
    running().exit(0);
    w.turn();
    ASSERT_TRUE(answer->value && answer->value->has_value());
    const auto id = (*answer->value)->row.id;
    EXPECT_EQ(w.executions.size(), before + 1);
    EXPECT_EQ(w.row(id).status, execution_status::success);
    EXPECT_EQ(w.row(id).skill_name, "count");
    EXPECT_EQ(w.payload(id).output, "[7]");
    EXPECT_EQ(w.payload(id).input, "[1]");
    EXPECT_EQ(w.webhooks_due, 1);
}

/// That may take its time, and it stays recorded meanwhile.
TEST_F(UnrecordedSkill, WhoseOutputIsCheckedIsRecordedAtItsBegin)
{
    skill.skill->output_schema = "{}";
    const auto answer = w.begin(w.service().submit_awaited(w.tenant, skill));
    w.turn();
    EXPECT_EQ(w.executions.size(), before + 1);
    EXPECT_EQ(running_programs(), 1u);
}

}    // namespace
}    // namespace caisson

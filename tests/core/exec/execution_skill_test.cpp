// What a run of a skill is given, and what its end becomes.

#include "core/exec/skill/skill_program.hpp"
#include "tests/core/exec/collect_streams.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace caisson {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

execution_spec a_skill()
{
    auto spec = service_world::program();
    spec.kind = execution_kind::skill;
    spec.skill = skill_run{.name = "count", .version = "1.0.0", .digest = "abcd", .image = "bash:5", .interpreter = "/bin/bash"};
    spec.argv = {"/bin/bash", "/sandbox/scripts/main.sh"};
    spec.input = shared_bytes("[1]");
    spec.collect = skill_collect({});
    return spec;
}

class ExecutionSkill : public ::testing::Test {
protected:
    ExecutionSkill() { w.trees.packages["abcd"]; }
    std::string variable(const std::string& name)
    {
        const auto& env = w.agent().request->env;
        const auto found = std::ranges::find(env, name, [](const auto& each) { return each.first; });
        return found == env.end() ? "(none)" : found->second;
    }
    /// Its end, told as "status: error output".
    std::string ended_with(const std::string& output, int code = 0)
    {
        const auto id = w.run(a_skill());
        w.agent().collected = [output](const protocol::spawn_request&) { return output_stream_of(output); };
        w.agent().exit(code);
        const auto& row = w.ended(id);
        return std::string(to_string(row.status)) + ": " + row.error + " " + std::string(w.payload(id).output.view());
    }

    service_world w;
};

TEST_F(ExecutionSkill, IsGivenItsPackageAndItsDirectories)
{
    w.run(a_skill());
    EXPECT_EQ(w.box().spec.work_directory, "/sandbox");
    ASSERT_EQ(w.box().spec.trees.size(), 1u);
    EXPECT_EQ(w.box().spec.trees[0].host_path + " " + w.box().spec.trees[0].place, "/cache/abcd scripts");
    EXPECT_THAT(w.agent().files, UnorderedElementsAre(Pair("out", ""), Pair("out/files", ""), Pair("input.json", "[1]")));
    EXPECT_EQ(variable("SANDBOX_INPUT"), "[1]");
    EXPECT_EQ(variable("HOME"), "/tmp");
}

TEST_F(ExecutionSkill, HoldsItsPackageUntilItsSandboxIsGone)
{
    const auto id = w.run(a_skill());
    EXPECT_EQ(w.trees.held("abcd"), 1);
    w.agent().exit(0);
    w.ended(id);
    EXPECT_EQ(w.trees.held("abcd"), 0);
}

TEST_F(ExecutionSkill, WithoutItsPackageItFailsAtOnce)
{
    w.trees.packages.clear();
    const auto id = w.submit(a_skill());
    const auto& row = w.ended(id);
    EXPECT_EQ(row.status, execution_status::failed);
    EXPECT_EQ(row.verdict, verdict::runtime_error);
    EXPECT_THAT(row.error, HasSubstr("the package of skill count@1.0.0 (sha256:abcd) was removed"));
    EXPECT_EQ(w.runtime.created(), 0u);
    EXPECT_EQ(w.trees.opened, 1u) << "it is not tried again";
}

TEST_F(ExecutionSkill, IsWholeInTheRecord)
{
    const auto id = w.run(a_skill());
    const auto& row = w.row(id);
    EXPECT_EQ(row.skill_name + "@" + row.skill_version + " " + row.skill_digest, "count@1.0.0 abcd");
    EXPECT_EQ(row.image + " " + row.interpreter, "bash:5 /bin/bash");
    EXPECT_EQ(w.payload(id).input, "[1]");
    w.restart();
    EXPECT_EQ(w.payload(id).input, "[1]");
}

TEST_F(ExecutionSkill, WhoWaitsForItsEndIsGivenWhatIsRecorded)
{
    const auto id = w.run(a_skill());
    auto waiting = w.begin(w.service().wait(w.tenant, id, w.time().steady_now() + std::chrono::minutes(1)));
    EXPECT_EQ(w.find(id)->payload, nullptr) << "it has no output yet";
    w.agent().collected = [](const protocol::spawn_request&) { return output_stream_of("[7]"); };
    w.agent().exit(0);
    w.ended(id);
    ASSERT_TRUE(waiting->done());
    const auto& row = waiting->value->value();
    ASSERT_NE(row.payload, nullptr);
    const auto stored = w.payload(id);
    EXPECT_EQ(row.payload->input, stored.input);
    EXPECT_EQ(row.payload->output, stored.output);
    EXPECT_EQ(row.payload->input_bytes, stored.input_bytes);
    EXPECT_EQ(row.payload->output_bytes, stored.output_bytes);
    EXPECT_EQ(row.payload->output, "[7]");
    EXPECT_EQ(row.output, "") << "rows are without";
}

TEST_F(ExecutionSkill, ItsOutputIsJudged) { EXPECT_EQ(ended_with(" {\"a\": 1}"), "success:   {\"a\": 1}"); }

TEST_F(ExecutionSkill, OutputThatIsNoneIsAFailure)
{
    EXPECT_EQ(ended_with("{"), "failed: output.json is not valid JSON: it ends too early at line 1, column 2 ");
}

TEST_F(ExecutionSkill, AFailureKeepsItsOutput) { EXPECT_EQ(ended_with("[]", 3), "failed: container exited with code 3 []"); }

TEST_F(ExecutionSkill, TheExitEventSaysTheSameAsTheRecord)
{
    const auto id = w.run(a_skill());
    w.agent().collected = [](const protocol::spawn_request&) { return output_stream_of("{"); };
    w.agent().exit(0);
    w.ended(id);
    auto viewer = w.view(id);
    const auto all = w.get(viewer->next(1 << 20, false));
    ASSERT_TRUE(all.has_value());
    EXPECT_THAT(all->back().event->body, HasSubstr(R"("status":"failed","verdict":"exited")"));
}

TEST_F(ExecutionSkill, TheNextServerJudgesItsOutput)
{
    const auto id = w.run(a_skill());
    w.restart();
    w.agent().collected = [](const protocol::spawn_request&) { return output_stream_of("[7]"); };
    w.agent().exit(0);
    EXPECT_EQ(w.ended(id).output, "") << "rows are without";
    EXPECT_EQ(w.payload(id).output, "[7]");
    EXPECT_EQ(w.payload(id).input, "[1]");
}

/// One whose output has a schema.
class CheckedSkill : public ExecutionSkill {
protected:
    execution_id exited()
    {
        auto spec = a_skill();
        spec.skill->output_schema = "{}";
        const auto id = w.run(std::move(spec));
        collect();
        w.agent().exit(0);
        return id;
    }
    void collect()
    {
        w.agent().collected = [](const protocol::spawn_request&) { return output_stream_of("[7]"); };
    }
    std::string told(const execution_id& id)
    {
        const auto& row = w.ended(id);
        return std::string(to_string(row.status)) + ": " + row.error + " " + std::string(w.payload(id).output.view());
    }
};

TEST_F(CheckedSkill, DoesNotEndBeforeItsOutputIsChecked)
{
    w.schemas.hold();
    const auto id = exited();
    w.advance(std::chrono::seconds(5), std::chrono::milliseconds(100));
    ASSERT_EQ(w.schemas.askers.size(), 1u);
    EXPECT_EQ(w.schemas.askers.front(), schema_checker::asker::execution);
    EXPECT_EQ(w.row(id).status, execution_status::running);
    EXPECT_EQ(w.find(id).value().status, execution_status::running) << "nor is that shown";
    w.schemas.release();
    EXPECT_EQ(told(id), "success:  [7]");
}

TEST_F(CheckedSkill, FailsIfItsOutputDoesNotMatch)
{
    w.schemas.judge = [](auto, auto) { return std::vector<field_problem>{{"/0", "must be \"string\", is integer"}}; };
    EXPECT_EQ(told(exited()), "failed: output.json does not match the skill's outputs schema: /0 must be \"string\", is integer ");
}

TEST_F(CheckedSkill, ACheckThatBreaksIsToldWithoutTheServersWords)
{
    w.schemas.judge = [](auto, auto) -> testing::fake_schema_checker::answer { throw std::runtime_error("/srv/secret"); };
    EXPECT_EQ(told(exited()), "failed: output.json cannot be checked: the server failed; its log says why ");
}

TEST_F(CheckedSkill, IsCheckedByTheNextServerIfThisOneDiesMeanwhile)
{
    w.schemas.hold();
    const auto id = exited();
    w.advance(std::chrono::seconds(1), std::chrono::milliseconds(100));
    w.kill_server();
    w.schemas.release();
    ASSERT_TRUE(w.start_server().has_value());
    collect();
    EXPECT_EQ(told(id), "success:  [7]");
    EXPECT_EQ(w.schemas.askers.size(), 2u);
}

}    // namespace
}    // namespace caisson

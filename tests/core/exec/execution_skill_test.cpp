// What a run of a skill is given, and what its end becomes.

#include "core/exec/skill_program.hpp"
#include "core/protocol/collect_stream.hpp"
#include "tests/core/exec/service_world.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace caisson {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

std::string output_stream_of(const std::string& text)
{
    std::string out(protocol::collect_magic);
    protocol::append_file(out, {true, text.size(), 0644, 0, "out/output.json"});
    protocol::append_data_head(out, text.size());
    out += text;
    protocol::append_end(out);
    protocol::append_done(out, {});
    return out;
}

execution_spec a_skill()
{
    auto spec = service_world::program();
    spec.kind = execution_kind::skill;
    spec.skill = skill_run{.name = "count", .version = "1.0.0", .digest = "abcd", .image = "bash:5", .interpreter = "/bin/bash"};
    spec.argv = {"/bin/bash", "/sandbox/scripts/main.sh"};
    spec.input = "[1]";
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
        return std::string(to_string(row.status)) + ": " + row.error + " " + row.output;
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
    EXPECT_EQ(w.find(id).value().input, "[1]");
    w.restart();
    EXPECT_EQ(w.find(id).value().input, "[1]");
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
    EXPECT_EQ(w.ended(id).output, "[7]");
    EXPECT_EQ(w.row(id).input, "[1]");
}

}    // namespace
}    // namespace caisson

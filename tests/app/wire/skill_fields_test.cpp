#include "app/wire/skill_fields.hpp"

#include "app/wire/execution_view.hpp"
#include "tests/app/wire/wire_fixture.hpp"

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace caisson::wire {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A server whose skills have limits of their own.
struct skill_server : wire_fixture {
    skill_server()
    {
        skill_limits.wall_ms = {100, 120'000, 600'000};
        skill_limits.memory_bytes.def = 256 << 20;
    }
    wire_context with_skills() const
    {
        auto out = context();
        out.skill_limits = &skill_limits;
        out.max_skill_input_bytes = max_input;
        return out;
    }
    execution_limit_ranges skill_limits;
    std::int64_t max_input = 100;
};

parsed_execution parsed(std::string_view body)
{
    const skill_server server;
    auto out = parse_execution_request(body, server.with_skills());
    EXPECT_TRUE(out) << told(out.error());
    return out ? *out : parsed_execution{};
}

TEST(SkillRequest, ASkillWithDefaults)
{
    const auto one = parsed(R"({"skill":"word-counter"})");
    ASSERT_TRUE(one.skill);
    EXPECT_EQ(one.spec.kind, execution_kind::skill);
    EXPECT_EQ(one.skill->name + "@" + one.skill->version, "word-counter@");
    EXPECT_EQ(one.spec.input, "");
    EXPECT_TRUE(one.spec.argv.empty());
    EXPECT_EQ(one.spec.limits.wall_ms, 120'000);
    EXPECT_EQ(one.spec.limits.cpu_ms, 60'000);
    EXPECT_EQ(one.spec.limits.memory_bytes, 256 << 20);
    EXPECT_EQ(one.spec.limits.cpu_milli, 500);
    EXPECT_TRUE(one.skill->given_limits.empty());
    EXPECT_FALSE(one.skill->gives_retry || one.skill->gives_idempotent || one.skill->gives_runtime);
}

TEST(SkillRequest, Everything)
{
    const auto one = parsed(R"({"skill":"s","version":"1.2.0","input":{"n": 1.50},"args":["-x","y"],"env":{"A":"1"},"stdin":"in",
        "files":{"data/a.csv":"1,2"},"cwd":"/sandbox/data/","limits":{"wall_ms":1000,"cpus":1},"runtime":"mock","labels":{"k":"v"},
        "idempotent":false,"wait":false})");
    EXPECT_EQ(one.skill->version, "1.2.0");
    EXPECT_EQ(one.spec.input, R"({"n": 1.50})");
    EXPECT_THAT(one.skill->args, ElementsAre("-x", "y"));
    EXPECT_THAT(one.skill->given_limits, ElementsAre("cpus", "wall_ms"));
    EXPECT_TRUE(one.skill->gives_idempotent && one.skill->gives_runtime);
    EXPECT_EQ(one.spec.cwd, "data");
    EXPECT_EQ(one.spec.stdin_data, "in");
    EXPECT_EQ(one.spec.files.front().path, "data/a.csv");
    EXPECT_EQ(one.spec.limits.wall_ms, 1'000);
    EXPECT_FALSE(one.wait);
}

TEST(SkillRequest, MayBringAProgramOfItsOwn)
{
    const auto command = parsed(R"({"skill":"s","command":["python3","scripts/a.py"],"args":["x"],"cwd":"/sandbox"})");
    EXPECT_THAT(command.skill->program, ElementsAre("python3", "scripts/a.py", "x"));
    EXPECT_TRUE(command.skill->args.empty() && command.skill->gives_cwd && !command.skill->runs_own_program());
    EXPECT_EQ(command.spec.kind, execution_kind::skill);
    const auto shell = parsed(R"({"skill":"s","shell":"ls"})");
    EXPECT_EQ(shell.skill->program.size(), 4u);
    EXPECT_EQ(shell.skill->program.at(2), "ls");
    EXPECT_FALSE(shell.skill->gives_cwd);
}

TEST(SkillRequest, NullIsAsGoodAsAbsentForVersionAndEnv)
{
    const auto one = parsed(R"({"skill":"s","version":null,"env":null,"input":null})");
    EXPECT_EQ(one.skill->version, "");
    EXPECT_TRUE(one.spec.env.empty());
    EXPECT_EQ(one.spec.input, "null");
    EXPECT_FALSE(parsed(R"({"skill":null,"version":null,"command":["ls"]})").skill);
}

TEST(SkillInput, MayBeDeeperAndHaveMoreValuesThanARequest)
{
    const auto nested = [](std::size_t depth) {
        return R"({"skill":"s","input":)" + std::string(depth, '[') + std::string(depth, ']') + "}";
    };
    std::string many = R"({"skill":"s","input":[0)";
    for (int i = 0; i < 60'000; ++i)
        many += ",0";
    skill_server server;
    server.max_input = 1 << 20;
    const auto told_of = [&](const std::string& body) {
        const auto out = parse_execution_request(body, server.with_skills());
        return out ? "accepted" : out.error().detail;
    };
    EXPECT_EQ(told_of(nested(256)), "accepted");
    EXPECT_EQ(told_of(nested(257)), "invalid JSON body: input is nested more than 256 levels at line 1, column 278");
    EXPECT_EQ(told_of(many + "]}"), "accepted");
}

TEST(SkillRequest, OtherKindsHaveTheOtherLimits)
{
    const auto one = parsed(R"({"command":["ls"]})");
    EXPECT_FALSE(one.skill);
    EXPECT_EQ(one.spec.limits.wall_ms, 30'000);
    EXPECT_EQ(one.spec.limits.memory_bytes, 512 << 20);
}

struct input_case {
    const char* name;
    const char* body;
    const char* input;
};

class SkillInput : public ::testing::TestWithParam<input_case> { };
TEST_P(SkillInput, IsPassedOnAsItIsWritten) { EXPECT_EQ(parsed(GetParam().body).spec.input, GetParam().input); }
INSTANTIATE_TEST_SUITE_P(Cases, SkillInput,
    ::testing::Values(input_case{"absent", R"({"skill":"s"})", ""}, input_case{"null", R"({"skill":"s","input":null})", "null"},
        input_case{"large_number", R"({"skill":"s","input":123456789012345678901234567890})", "123456789012345678901234567890"},
        input_case{"fraction", R"({"input":0.10,"skill":"s"})", "0.10"},
        input_case{"escaped_nul", R"({"skill":"s","input":"\u0000"})", R"("\u0000")"},
        input_case{"names_twice", R"({"skill":"s","input":{"a":1,"a":2}})", R"({"a":1,"a":2})"},
        input_case{"beside_another_input", R"({"skill":"s","env":{"input":"x"},"input":[{"input":1}]})", R"([{"input":1}])"},
        input_case{"spaces_inside", R"({"skill":"s","input": [1,  2] })", "[1,  2]"}),
    [](const auto& info) { return std::string(info.param.name); });

struct bad_case {
    const char* name;
    std::string body;
    std::string want;
};

class BadSkill : public ::testing::TestWithParam<bad_case> { };
TEST_P(BadSkill, IsNamed)
{
    const skill_server server;
    const auto out = parse_execution_request(GetParam().body, server.with_skills());
    EXPECT_EQ(out ? "accepted" : told(out.error()), "bad_request: " + GetParam().want);
}
constexpr auto own = " cannot be given to a skill: scripts, out and input.json are its own";
INSTANTIATE_TEST_SUITE_P(Cases, BadSkill,
    ::testing::Values(
        bad_case{"with_command_and_shell", R"({"skill":"s","command":["a"],"shell":"b"})", "shell cannot be combined with command"},
        bad_case{"with_code", R"({"skill":"s","language":"py","code":""})", "skill cannot be combined with code"},
        bad_case{"with_language", R"({"skill":"s","language":"py"})", "skill cannot be combined with language"},
        bad_case{"with_entry", R"({"skill":"s","entry":"x.py"})", "entry has a meaning with code only"},
        bad_case{"with_collect", R"({"skill":"s","collect":["a"]})",
            "collect cannot be combined with skill: what it writes into out/files/ is kept"},
        bad_case{"empty", R"({"skill":""})", "skill is required"}, bad_case{"no_text", R"({"skill":1})", "skill must be a string"},
        bad_case{"nul", R"({"skill":"a\u0000"})", "skill must not contain NUL"},
        bad_case{"long", R"({"skill":")" + std::string(129, 'x') + "\"}", "skill must be at most 128 bytes long, not 129"},
        bad_case{"version_type", R"({"skill":"s","version":1})", "version must be a string"},
        bad_case{"version_alone", R"({"command":["a"],"version":"1.0.0"})", "version needs skill"},
        bad_case{"input_alone", R"({"shell":"a","input":{}})", "input needs skill"},
        bad_case{"neither", R"({"input":{}})", "skill is required"},
        bad_case{"long_input", R"({"skill":"s","input":")" + std::string(99, 'x') + "\"}",
            "input takes 101 bytes as JSON, at most 100 are taken"},
        bad_case{"wall", R"({"skill":"s","limits":{"wall_ms":600001}})", "limits.wall_ms must be a whole number between 100 and 600000"},
        bad_case{"file_in_package", R"({"skill":"s","files":{"scripts/main.py":""}})", std::string("files.scripts/main.py") + own},
        bad_case{"file_for_package", R"({"skill":"s","files":{"scripts":""}})", std::string("files.scripts") + own},
        bad_case{"file_as_input", R"({"skill":"s","files":{"input.json":""}})", std::string("files.input.json") + own},
        bad_case{"file_in_out", R"({"skill":"s","files":{"out/files/a":""}})", std::string("files.out/files/a") + own}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(SkillView, ShowsWhatTheRowHas)
{
    execution_row row;
    row.kind = execution_kind::skill;
    row.skill_name = "s";
    row.skill_version = "1.0.0";
    row.skill_digest = "ab";
    row.image = "bash:5";
    row.interpreter = "/usr/bin/bash";
    const execution_payload payload{shared_bytes("{\"a\": 1e2}"), shared_bytes("[\"\\u0000\"]\n"), 10, 11};
    const auto text = execution_json(row, {.payload = &payload});
    EXPECT_THAT(text, HasSubstr(R"("skill_name":"s","skill_version":"1.0.0","skill_digest":"ab","interpreter":"/usr/bin/bash")"));
    EXPECT_THAT(text, HasSubstr(R"("image":"bash:5")"));
    EXPECT_THAT(text, HasSubstr(R"("interpreter":"/usr/bin/bash","input":{"a": 1e2},"output":["\u0000"])"));
    EXPECT_NO_THROW(boost::json::parse(text));
}

TEST(SkillView, TellsTheSizeOfWhatIsLeftOut)
{
    execution_row row;
    row.kind = execution_kind::skill;
    const execution_payload payload{{}, shared_bytes("1"), 16 << 20, 1};
    EXPECT_THAT(execution_json(row, {.payload = &payload}), HasSubstr(R"("input_bytes":16777216,"output":1,)"));
}

TEST(SkillView, LeavesOutWhatIsNotThere)
{
    execution_row row;
    row.kind = execution_kind::skill;
    row.skill_name = "s";
    const execution_payload none;
    for (const auto* name : {"\"input", "\"output\"", "\"image\""})
        EXPECT_THAT(execution_json(row, {.payload = &none}), ::testing::Not(HasSubstr(name)));
    row.kind = execution_kind::code;
    EXPECT_THAT(execution_json(row), ::testing::Not(HasSubstr("skill_name")));
}

}    // namespace

}    // namespace caisson::wire

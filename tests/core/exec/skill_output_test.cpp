#include "core/exec/skill/skill_output.hpp"

#include "core/exec/ending.hpp"
#include "core/exec/record/record.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace caisson {

namespace {

using state = skill_output::state;

result<std::vector<field_problem>> must_have_answer(std::string_view schema, std::string_view json)
{
    if (schema == "broken")
        return error{errc::bad_request, "it is no schema"};
    if (schema == "a fault")
        return error{errc::internal, "/srv/secret is gone"};
    if (json.find("\"answer\"") != std::string_view::npos)
        return std::vector<field_problem>();
    return std::vector<field_problem>{{"/answer", "is required"}, {"", "two"}, {"/c", "three"}, {"/d", "four"}, {"/e", "five"}};
}

/// As collect_stage asks.
std::string problem_of(const skill_output& found, const std::string& schema)
{
    const auto broken = syntax_problem(found.text);
    if (!broken.empty() || schema.empty())
        return broken;
    return mismatch_problem(must_have_answer(schema, found.text));
}

skill_output whole(std::string text) { return {state::whole, std::move(text)}; }

/// A row whose program ended so, judged.
struct judged {
    explicit judged(ending_facts facts, skill_output found = {}, std::string schema = {}, std::int64_t wall_ms = 120'000)
    {
        spec.kind = execution_kind::skill;
        spec.skill = skill_run{.name = "s", .output_schema = std::move(schema)};
        spec.limits.wall_ms = wall_ms;
        row.kind = spec.kind;
        row.limits = spec.limits;
        apply_ending(row, decide_ending(facts, spec.limits), 0);
        judge_skill(row, spec, found, found.what == state::whole ? problem_of(found, spec.skill->output_schema) : "");
    }
    std::string told() const { return std::string(to_string(row.status)) + ": " + row.error; }

    execution_spec spec;
    execution_row row;
};

ending_facts exited(int code)
{
    ending_facts facts;
    facts.wait_status = code << 8;
    return facts;
}

ending_facts signaled(int number)
{
    ending_facts facts;
    facts.wait_status = number;
    return facts;
}

struct error_case {
    const char* name;
    ending_facts facts;
    const char* told;
    std::int64_t wall_ms = 120'000;
};

class SkillError : public ::testing::TestWithParam<error_case> { };

TEST_P(SkillError, IsSaidAsClientsKnowIt) { EXPECT_EQ(judged(GetParam().facts, {}, {}, GetParam().wall_ms).told(), GetParam().told); }

ending_facts with(bool ending_facts::* flag)
{
    auto facts = signaled(SIGKILL);
    facts.*flag = true;
    return facts;
}

ending_facts with_text(std::string ending_facts::* text)
{
    ending_facts facts;
    facts.*text = "the words";
    return facts;
}

INSTANTIATE_TEST_SUITE_P(Cases, SkillError,
    ::testing::Values(error_case{"success", exited(0), "success: "},
        error_case{"exit_code", exited(3), "failed: container exited with code 3"},
        error_case{"signal", signaled(SIGSEGV), "failed: container exited with code 139"},
        error_case{"memory", with(&ending_facts::killed_for_memory),
            "failed: container exited with code 137 (the program needed more memory than limits.memory_bytes (536870912 bytes))"},
        error_case{"five_seconds", with(&ending_facts::wall_limit), "timeout: execution timed out after 5s", 5'000},
        error_case{"two_minutes", with(&ending_facts::wall_limit), "timeout: execution timed out after 2m0s"},
        error_case{"cancelled", with(&ending_facts::cancelled), "cancelled: the execution was cancelled"},
        error_case{"lost", with_text(&ending_facts::lost), "interrupted: the words"},
        error_case{"fault", with_text(&ending_facts::fault), "failed: the words"}),
    [](const auto& info) { return info.param.name; });

struct output_case {
    const char* name;
    int exit_code;
    skill_output found;
    const char* told;
    std::string output = {};
    const char* schema = "";
};

class SkillOutput : public ::testing::TestWithParam<output_case> { };

TEST_P(SkillOutput, IsJudged)
{
    const auto& c = GetParam();
    const judged one(exited(c.exit_code), c.found, c.schema);
    EXPECT_EQ(one.told(), c.told);
    EXPECT_EQ(one.row.output, c.output);
}

INSTANTIATE_TEST_SUITE_P(Cases, SkillOutput,
    ::testing::Values(output_case{"none", 0, {}, "success: "},
        output_case{"kept_as_it_is", 0, whole(" {\"n\": 1.50 }\n"), "success: ", " {\"n\": 1.50 }\n"},
        output_case{"an_escaped_nul_is_kept", 0, whole(R"({"a":"\u0000"})"), "success: ", R"({"a":"\u0000"})"},
        output_case{"any_value", 0, whole("null"), "success: ", "null"},
        output_case{"of_a_failed_run", 1, whole("[1]"), "failed: container exited with code 1", "[1]"},
        output_case{"empty", 0, whole(""), "failed: output.json is not valid JSON: it is empty at line 1, column 1"},
        output_case{"cut", 0, whole("{\"a\":"), "failed: output.json is not valid JSON: it ends too early at line 1, column 6"},
        output_case{"wrong", 0, whole("{\n  'a': 1}"), "failed: output.json is not valid JSON: syntax error at line 2, column 3"},
        output_case{"not_utf8", 0, whole("\"\xff\""), "failed: output.json is not valid JSON: it is not UTF-8 at line 1, column 2"},
        output_case{"two_values", 0, whole("1 2"), "failed: output.json is not valid JSON: something follows its end at line 1, column 3"},
        output_case{"nested_too_deeply", 0, whole(std::string(300, '[') + std::string(300, ']')),
            "failed: output.json is not valid JSON: it is nested more than 256 levels at line 1, column 257"},
        output_case{"wrong_of_a_failed_run", 2, whole("x"),
            "failed: container exited with code 2; output.json is not valid JSON: syntax error at line 1, column 1"},
        output_case{"too_large", 0, {state::unreadable, "larger than 1048576 bytes"},
            "failed: output.json could not be taken: larger than 1048576 bytes"},
        output_case{"matches", 0, whole(R"({"answer":1})"), "success: ", R"({"answer":1})", "schema"},
        output_case{"does_not_match", 0, whole("{}"),
            "failed: output.json does not match the skill's outputs schema: /answer is required; two; /c three; and 2 more", "", "schema"},
        output_case{"a_schema_that_is_none", 0, whole("{}"), "failed: output.json cannot be checked: it is no schema", "", "broken"},
        output_case{"a_check_that_failed", 0, whole("{}"), "failed: output.json cannot be checked: the server failed; its log says why", "",
            "a fault"},
        output_case{
            "missing_though_described", 0, {}, "failed: output.json was not written, and the skill has an outputs schema", "", "schema"},
        output_case{"missing_of_a_failed_run", 1, {}, "failed: container exited with code 1", "", "schema"}),
    [](const auto& info) { return info.param.name; });

TEST(SkillOutput, LeavesOtherKindsAlone)
{
    execution_row row;
    row.error = "the program exited with code 1";
    judge_skill(row, execution_spec(), whole("{}"), "");
    EXPECT_EQ(row.error, "the program exited with code 1");
    EXPECT_EQ(row.output, "");
}

}    // namespace

}    // namespace caisson

#include "core/exec/skill/skill_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace caisson {

namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

execution_spec a_skill()
{
    execution_spec spec;
    spec.kind = execution_kind::skill;
    spec.skill = skill_run{.name = "count",
        .version = "1.2.0",
        .digest = "ab",
        .image = "python:3.12-slim",
        .interpreter = "/usr/bin/python3",
        .instructions = "Counts."};
    spec.argv = {"/usr/bin/python3", "-u", "/sandbox/scripts/scripts/main.py", "/sandbox/scripts", "x"};
    spec.input = shared_bytes(R"({"text":"a"})");
    return spec;
}

TEST(SkillProgram, SeesTheContractsVariables)
{
    EXPECT_THAT(skill_environment(a_skill(), "/sandbox"),
        UnorderedElementsAre(Pair("HOME", "/tmp"), Pair("SANDBOX_INPUT", R"({"text":"a"})"),
            Pair("SANDBOX_OUTPUT", "/sandbox/out/output.json"), Pair("SANDBOX_FILES_DIR", "/sandbox/out/files/"),
            Pair("SKILL_INSTRUCTIONS", "Counts.")));
}

TEST(SkillProgram, SeesItsRealPlaceWhereNothingIsolates)
{
    const auto env = skill_environment(a_skill(), "/data/run/sbx_1/work");
    EXPECT_EQ(env.at("SANDBOX_OUTPUT"), "/data/run/sbx_1/work/out/output.json");
    EXPECT_THAT(skill_argv(a_skill(), "/data/run/sbx_1/work"),
        ElementsAre("/usr/bin/python3", "-u", "/data/run/sbx_1/work/scripts/scripts/main.py", "/sandbox/scripts", "x"));
    EXPECT_EQ(skill_argv(a_skill(), "/sandbox"), a_skill().argv);
}

TEST(SkillProgram, HasTheInputInTheEnvironmentUpToABound)
{
    auto spec = a_skill();
    spec.input = shared_bytes(std::string(max_skill_variable_bytes, '1'));
    EXPECT_TRUE(skill_environment(spec, "/sandbox").contains("SANDBOX_INPUT"));
    spec.input = shared_bytes(std::string(max_skill_variable_bytes + 1, '1'));
    EXPECT_FALSE(skill_environment(spec, "/sandbox").contains("SANDBOX_INPUT"));
    EXPECT_EQ(skill_files(spec).back().content, spec.input.view());
    spec.skill->instructions = std::string(max_skill_variable_bytes + 1, 'x');
    EXPECT_FALSE(skill_environment(spec, "/sandbox").contains("SKILL_INSTRUCTIONS"));
}

TEST(SkillProgram, InstructionsWithNulAreNoVariable)
{
    auto spec = a_skill();
    spec.skill->instructions = std::string("a\0b", 3);
    EXPECT_FALSE(skill_environment(spec, "/sandbox").contains("SKILL_INSTRUCTIONS"));
}

struct input_case {
    const char* name;
    const char* given;
    const char* seen;
};

class SkillInput : public ::testing::TestWithParam<input_case> { };

TEST_P(SkillInput, IsSeenSo)
{
    auto spec = a_skill();
    spec.input = shared_bytes(GetParam().given);
    EXPECT_EQ(skill_environment(spec, "/sandbox").at("SANDBOX_INPUT"), GetParam().seen);
    EXPECT_EQ(skill_files(spec).back().content, GetParam().seen);
}

INSTANTIATE_TEST_SUITE_P(Cases, SkillInput,
    ::testing::Values(input_case{"absent", "", "{}"}, input_case{"null", "null", "null"}, input_case{"text", "\"a\"", "\"a\""}),
    [](const auto& info) { return info.param.name; });

TEST(SkillProgram, FindsItsDirectoriesAndItsInput)
{
    const auto files = skill_files(a_skill());
    ASSERT_EQ(files.size(), 3U);
    EXPECT_EQ(files[0].path, "out/");
    EXPECT_EQ(files[1].path, "out/files/");
    EXPECT_EQ(files[2].path, "input.json");
}

TEST(SkillProgram, LeavesOutputAndFiles)
{
    const auto all = skill_collect({});
    EXPECT_THAT(all.patterns, ElementsAre("out/files/**"));
    EXPECT_EQ(all.strip, "out/files/");
    EXPECT_EQ(all.output, "out/output.json");
    EXPECT_THAT(skill_collect({"*.png", "a/**"}).patterns, ElementsAre("out/files/*.png", "out/files/a/**"));
}

TEST(SkillProgram, IsDescribedInTheRecord)
{
    execution_row row;
    describe_skill(a_skill(), row);
    EXPECT_EQ(row.skill_name + row.skill_version + row.skill_digest, "count1.2.0ab");
    EXPECT_EQ(row.image + " " + row.interpreter, "python:3.12-slim /usr/bin/python3");
    execution_row other;
    describe_skill(execution_spec(), other);
    EXPECT_EQ(other.skill_name + other.image, "");
}

}    // namespace

}    // namespace caisson

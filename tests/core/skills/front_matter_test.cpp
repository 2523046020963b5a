#include "core/skills/front_matter.hpp"

#include "core/skills/env_rules.hpp"

#include <gtest/gtest.h>

namespace caisson {
namespace {

struct split_case {
    std::string_view name;
    std::string_view text;
    std::string_view front_matter;
    std::string_view instructions;
    std::string_view fault = "";
};
class SplitSkillMd : public ::testing::TestWithParam<split_case> { };

TEST_P(SplitSkillMd, SplitsAsTheReference)
{
    const auto& c = GetParam();
    const auto parts = split_skill_md(c.text);
    if (!c.fault.empty()) {
        ASSERT_TRUE(parts.has_error());
        EXPECT_EQ(parts.error().code, errc::invalid_skill);
        EXPECT_EQ(parts.error().detail, c.fault);
        return;
    }
    ASSERT_TRUE(parts.has_value()) << parts.error().detail;
    EXPECT_EQ(parts->front_matter, c.front_matter);
    EXPECT_EQ(parts->instructions, c.instructions);
}

TEST(SplitSkillMdLines, AreThoseOfTheFile)
{
    EXPECT_EQ(split_skill_md("---\na: 1\n---")->first_line, 2);
    EXPECT_EQ(split_skill_md("\xEF\xBB\xBF\r\n\r\n---\r\na: 1\r\n---")->first_line, 4);
}

constexpr std::string_view no_begin = "SKILL.md must begin with '---' frontmatter delimiter";
constexpr std::string_view no_content = "SKILL.md has no content after opening delimiter";
constexpr std::string_view no_end = "SKILL.md is missing closing '---' delimiter";

INSTANTIATE_TEST_SUITE_P(Cases, SplitSkillMd,
    ::testing::Values(split_case{"usual", "---\nname: a\n---\n\n# Text\n", "name: a", "# Text"},
        split_case{"white_space_before", "\n \t\n---\nname: a\n---\n", "name: a", ""},
        split_case{"byte_order_mark", "\xEF\xBB\xBF---\nname: a\n---", "name: a", ""},
        split_case{"rest_of_the_line", "--- yes\nname: a\n---\nx", "name: a", "x"},
        split_case{"windows_lines", "---\r\nname: a\r\n---\r\nx\r\n", "name: a", "x"},
        split_case{"windows_lines_inside", "---\r\na: 1\r\nb: 2\r\n---\r\n", "a: 1\r\nb: 2", ""},
        split_case{"first_delimiter_counts", "---\na: 1\n---\nx\n---\ny", "a: 1", "x\n---\ny"},
        split_case{"delimiter_begins_a_line", "---\na: b --- c\n---", "a: b --- c", ""}, split_case{"empty", "", "", "", no_begin},
        split_case{"no_delimiter", "name: a\n", "", "", no_begin}, split_case{"text_first", "# x\n---\na: 1\n---", "", "", no_begin},
        split_case{"delimiter_only", "---", "", "", no_content}, split_case{"delimiter_and_newline", "---\n", "", "", no_content},
        split_case{"not_closed", "---\nname: a\n", "", "", no_end}, split_case{"nothing_between", "---\n---\n", "", "", no_end},
        split_case{"indented_delimiter", "---\na: 1\n ---\n", "", "", no_end}),
    [](const auto& info) { return std::string(info.param.name); });

struct env_case {
    std::string_view test;
    std::string_view name;
    bool refused;
    bool right = true;
};
class EnvRules : public ::testing::TestWithParam<env_case> { };

TEST_P(EnvRules, KeepTheContractsVariables)
{
    EXPECT_EQ(is_refused_env(GetParam().name), GetParam().refused);
    EXPECT_EQ(is_env_name(GetParam().name), GetParam().right);
}

INSTANTIATE_TEST_SUITE_P(Cases, EnvRules,
    ::testing::Values(env_case{"path", "PATH", true}, env_case{"home", "HOME", true}, env_case{"preload", "LD_PRELOAD", true},
        env_case{"library_path", "LD_LIBRARY_PATH", true}, env_case{"python_path", "PYTHONPATH", true},
        env_case{"node_path", "NODE_PATH", true}, env_case{"node_options", "NODE_OPTIONS", true},
        env_case{"sandbox", "SANDBOX_INPUT", true}, env_case{"sandbox_small", "sandbox_x", true},
        env_case{"skill", "SKILL_INSTRUCTIONS", true}, env_case{"skill_mixed", "SkIlL_", true}, env_case{"another_path", "PATHS", false},
        env_case{"small_path", "path", false}, env_case{"sandbox_without_line", "SANDBOX", false}, env_case{"usual", "LEVEL_2", false},
        env_case{"line_first", "_x", false}, env_case{"digit_first", "2x", false, false}, env_case{"equals", "a=b", false, false},
        env_case{"hyphen", "a-b", false, false}, env_case{"nothing", "", false, false}),
    [](const auto& info) { return std::string(info.param.test); });

}    // namespace
}    // namespace caisson

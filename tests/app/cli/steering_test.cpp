#include "app/cli/steering.hpp"

#include "app/cli/text_table.hpp"

#include <gtest/gtest.h>

namespace caisson::cli {

namespace {

struct steering_case {
    const char* name;
    const char* character;
    const char* escape;    // empty: it is shown as it is
};
class Steering : public ::testing::TestWithParam<steering_case> { };

TEST_P(Steering, IsNotLeftToTheTerminal)
{
    const auto& c = GetParam();
    const auto text = "a" + std::string(c.character) + "b";
    const bool steers = *c.escape != '\0';
    EXPECT_EQ(one_line(text, 80), steers ? "a b" : text);
    EXPECT_EQ(json_for_terminal("\"" + text + "\""), "\"a" + std::string(steers ? c.escape : c.character) + "b\"");
}

constexpr steering_case steering_cases[] = {
    {"escape", "\x1b", "\\u001b"},
    {"delete_character", "\x7f", "\\u007f"},
    {"csi_in_one_character", "\xC2\x9B", "\\u009b"},
    {"first_of_c1", "\xC2\x80", "\\u0080"},
    {"arabic_letter_mark", "\xD8\x9C", "\\u061c"},
    {"left_to_right_mark", "\xE2\x80\x8E", "\\u200e"},
    {"right_to_left_mark", "\xE2\x80\x8F", "\\u200f"},
    {"line_separator", "\xE2\x80\xA8", "\\u2028"},
    {"right_to_left_override", "\xE2\x80\xAE", "\\u202e"},
    {"first_isolate", "\xE2\x81\xA6", "\\u2066"},
    {"end_of_isolate", "\xE2\x81\xA9", "\\u2069"},
    {"no_break_space", "\xC2\xA0", ""},
    {"arabic", "\xD8\x9D", ""},
    {"joiner", "\xE2\x80\x8D", ""},
    {"narrow_space", "\xE2\x80\xAF", ""},
    {"before_the_isolates", "\xE2\x81\xA5", ""},
    {"behind_the_isolates", "\xE2\x81\xAA", ""},
    {"letter", "\xC3\x9B", ""},
    {"emoji", "\xF0\x9F\x98\x80", ""},
};
INSTANTIATE_TEST_SUITE_P(
    Characters, Steering, ::testing::ValuesIn(steering_cases), [](const auto& info) { return std::string(info.param.name); });

TEST(JsonForTerminal, KeepsItsLines) { EXPECT_EQ(json_for_terminal("{\n\t\"a\": 1\r\n}"), "{\n\t\"a\": 1\r\n}"); }

}    // namespace

}    // namespace caisson::cli

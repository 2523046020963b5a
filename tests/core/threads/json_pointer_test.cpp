#include "core/threads/json_pointer.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

namespace caisson {

namespace {

using namespace std::string_literals;

struct pointer_case {
    std::string_view name;
    std::string pointer;
    std::vector<std::string> tokens;
    std::string_view fault = "";
};
void PrintTo(const pointer_case& one, std::ostream* out) { *out << one.name; }

class Pointer : public ::testing::TestWithParam<pointer_case> { };

TEST_P(Pointer, IsTakenApart)
{
    const auto& c = GetParam();
    const auto tokens = parse_pointer(c.pointer);
    if (c.fault.empty())
        EXPECT_EQ(tokens.value(), c.tokens);
    else
        EXPECT_EQ(tokens.error().detail, c.fault);
}

INSTANTIATE_TEST_SUITE_P(Cases, Pointer,
    ::testing::Values(pointer_case{"whole", "", {}}, pointer_case{"empty_name", "/", {""}}, pointer_case{"two_empty_names", "//", {"", ""}},
        pointer_case{"names", "/a/b c/0", {"a", "b c", "0"}}, pointer_case{"escapes", "/a~1b/m~0n/~01", {"a/b", "m~n", "~1"}},
        pointer_case{"other_characters", "/c%d/e^f/k\"l/\\", {"c%d", "e^f", "k\"l", "\\"}}, pointer_case{"nul", "/a\0b"s, {"a\0b"s}},
        pointer_case{"no_slash", "a", {}, "must begin with \"/\" or be empty"},
        pointer_case{"fragment", "#/a", {}, "must begin with \"/\" or be empty"},
        pointer_case{"bad_escape", "/a~2", {}, "has a \"~\" that neither 0 nor 1 follows"},
        pointer_case{"open_escape", "/a~/b", {}, "has a \"~\" that neither 0 nor 1 follows"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Index, IsDigitsWithoutLeadingZeros)
{
    EXPECT_EQ(index_of("0"), 0U);
    EXPECT_EQ(index_of("17"), 17U);
    for (const auto* text : {"", "00", "01", "-1", "+1", "1e0", " 1", "1 ", "-", "a", "1.0", "99999999999999999999999"})
        EXPECT_FALSE(index_of(text)) << text;
}

TEST(AppendName, EscapesForAPointerWithinAString)
{
    std::string pointer;
    append_name(pointer, R"("a/b~c\"d\n")");
    append_index(pointer, 12);
    EXPECT_EQ(pointer, R"(/a~1b~0c\"d\n/12)");
}

}    // namespace

}    // namespace caisson

#include "app/cli/text_table.hpp"

#include <gtest/gtest.h>

namespace caisson::cli {
namespace {

TEST(TextTable, ColumnsAreAsWideAsTheirWidestCell)
{
    text_table table({"ID", "STATUS", "LAST"});
    table.add({{"a"}, {"ok"}, {"x y"}});
    table.add({{"longer"}, {"failed"}, {""}});
    EXPECT_EQ(table.str(false), "ID      STATUS  LAST\n"
                                "a       ok      x y\n"
                                "longer  failed  \n");
}

TEST(TextTable, CharactersNotBytesAreCounted)
{
    text_table table({"A", "B"});
    table.add({{"é…"}, {"1"}});
    table.add({{"xyz"}, {"2"}});
    EXPECT_EQ(table.str(false), "A    B\né…   1\nxyz  2\n");
}

TEST(TextTable, ColoursDoNotShiftColumns)
{
    text_table table({"A", "B"});
    table.add({{"x", colour::red}, {"y"}});
    EXPECT_EQ(table.str(true), "\x1b[1mA\x1b[0m  \x1b[1mB\x1b[0m\n\x1b[31mx\x1b[0m  y\n");
}

TEST(OneLine, ControlCharactersBecomeSpaces)
{
    EXPECT_EQ(one_line("a\nb\x1b[31mc\x7F", 80), "a b [31mc ");
    EXPECT_EQ(one_line("a\xC2\x9B"
                       "31m",
                  80),
        "a 31m")
        << "the one-character form of ESC [";
    EXPECT_EQ(one_line("caf\xC3\xA9 \xC2\xA0", 80), "caf\xC3\xA9 \xC2\xA0");
}

TEST(OneLine, IsCutAtCharacters)
{
    EXPECT_EQ(one_line("abcdef", 6), "abcdef");
    EXPECT_EQ(one_line("abcdefg", 6), "abcde…");
    EXPECT_EQ(one_line("éééé", 3), "éé…");
}

TEST(OneLine, IsValidUtf8) { EXPECT_EQ(one_line("\xFFx", 10), "\xEF\xBF\xBDx"); }

}    // namespace
}    // namespace caisson::cli

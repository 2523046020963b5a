#include "adapters/archive/unique_names.hpp"

#include <gtest/gtest.h>

namespace caisson {
namespace {

struct name_case {
    const char* name;
    std::string path;
    std::string want;
};
void PrintTo(const name_case& c, std::ostream* out) { *out << c.name; }

class NumberedName : public ::testing::TestWithParam<name_case> { };
TEST_P(NumberedName, IsNoLongerThanANameMayBe) { EXPECT_EQ(numbered_name(GetParam().path, 2), GetParam().want); }

INSTANTIATE_TEST_SUITE_P(Cases, NumberedName,
    ::testing::Values(name_case{"plain", "a", "a (2)"}, name_case{"ending", "a.tar.gz", "a.tar (2).gz"},
        name_case{"dot_of_a_directory", "a.b/c", "a.b/c (2)"}, name_case{"hidden", "d/.rc", "d/.rc (2)"},
        name_case{"long_ending", "a." + std::string(40, 'x'), "a." + std::string(40, 'x') + " (2)"},
        name_case{"longest", "d/" + std::string(255, 'x'), "d/" + std::string(251, 'x') + " (2)"},
        name_case{"longest_with_ending", std::string(251, 'x') + ".txt", std::string(247, 'x') + " (2).txt"},
        name_case{"cut_within_a_character", std::string(250, 'x') + "\xc3\xa9" + "xyz", std::string(250, 'x') + " (2)"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(UniqueNames, AreGivenOnce)
{
    unique_names names;
    EXPECT_EQ(names.take("a"), "a");
    EXPECT_EQ(names.take("a"), "a (2)");
    EXPECT_EQ(names.take("a (3)"), "a (3)");
    EXPECT_EQ(names.take("a"), "a (4)");
    EXPECT_EQ(names.take("a (2)"), "a (2) (2)");
    EXPECT_EQ(names.take("b"), "b");
}

}    // namespace
}    // namespace caisson

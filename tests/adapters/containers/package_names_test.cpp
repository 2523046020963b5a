#include "adapters/containers/package_names.hpp"

#include <gtest/gtest.h>

namespace caisson::docker {
namespace {

const package_names names("i1", "/data/skills");

struct tree_case {
    std::string_view name;
    std::string tree;
    std::optional<std::string> volume;
};
void PrintTo(const tree_case& of, std::ostream* out) { *out << of.name; }
class PackageTree : public ::testing::TestWithParam<tree_case> { };

TEST_P(PackageTree, HasAVolumeThatNamesIt)
{
    const auto volume = names.volume_of(GetParam().tree);
    EXPECT_EQ(volume, GetParam().volume);
    if (volume) {
        EXPECT_TRUE(volume->starts_with(names.prefix()));
        EXPECT_EQ(names.tree_of(*volume), GetParam().tree);
    }
}

INSTANTIATE_TEST_SUITE_P(Cases, PackageTree,
    ::testing::Values(tree_case{"a_tree", "/data/skills/ten_1/a-f/tree", "caisson-package-i1-ten_1.a-f.tree"},
        tree_case{"one_level", "/data/skills/x", "caisson-package-i1-x"}, tree_case{"the_trees", "/data/skills", std::nullopt},
        tree_case{"nothing_below", "/data/skills/", std::nullopt}, tree_case{"beside", "/data/skills2/x", std::nullopt},
        tree_case{"with_a_dot", "/data/skills/x.y", std::nullopt}, tree_case{"out_of_it", "/data/skills/../x", std::nullopt},
        tree_case{"with_a_space", "/data/skills/a b", std::nullopt}, tree_case{"elsewhere", "/etc", std::nullopt}),
    [](const auto& info) { return std::string(info.param.name); });

struct mark_case {
    std::string_view name;
    std::string mark;
    std::optional<std::string> volume;
    std::int64_t bytes = 0;
};
void PrintTo(const mark_case& of, std::ostream* out) { *out << of.name; }
class PackageMark : public ::testing::TestWithParam<mark_case> { };

TEST_P(PackageMark, NamesItsVolumeAndItsSize)
{
    const auto mark = mark_from(GetParam().mark);
    ASSERT_EQ(mark.has_value(), GetParam().volume.has_value());
    if (mark) {
        EXPECT_EQ(mark->volume, *GetParam().volume);
        EXPECT_EQ(mark->bytes, GetParam().bytes);
    }
}

INSTANTIATE_TEST_SUITE_P(Cases, PackageMark,
    ::testing::Values(mark_case{"its_own", mark_of("v", 2048), "v", 2048}, mark_case{"empty", mark_of("v", 0), "v", 0},
        mark_case{"a_volume", "v", std::nullopt}, mark_case{"no_number", "v.whole-x", "v", 0},
        mark_case{"digits_and_more", "v.whole-12x", "v", 0}, mark_case{"negative", "v.whole--1", "v", 0},
        mark_case{"too_large", "v.whole-99999999999999999999", "v", 0}, mark_case{"twice", "v.whole-1.whole-2", "v.whole-1", 2}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace
}    // namespace caisson::docker

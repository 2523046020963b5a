#include "core/exec/collect/collect_bounds.hpp"

#include <gtest/gtest.h>

#include <ostream>

namespace caisson {
namespace {

/// At most 2 files of 8 bytes, 10 bytes together, and an output of 3 bytes.
const collect_spec small_spec{.patterns = {"out/**"},
    .strip = "out/",
    .output = "out/output.json",
    .max_files = 2,
    .max_bytes = 10,
    .max_file_bytes = 8,
    .max_output_bytes = 3};

struct breach_case {
    std::string_view name;
    std::string_view path;
    std::uint64_t size;
    bool is_output;
    std::int64_t begun;    // bytes of the files before
    std::size_t kept;
    std::string_view want;    // empty: it may come
};
void PrintTo(const breach_case& c, std::ostream* out) { *out << c.name; }

class CollectBounds : public ::testing::TestWithParam<breach_case> { };

TEST_P(CollectBounds, SayWhatWasNotAskedFor)
{
    const auto& c = GetParam();
    collect_bounds bounds(small_spec);
    bounds.count(c.begun);
    EXPECT_EQ(bounds.breach({c.is_output, c.size, 0644, 0, std::string(c.path)}, c.kept), c.want);
}

INSTANTIATE_TEST_SUITE_P(Cases, CollectBounds,
    ::testing::Values(breach_case{"a_file", "out/a", 8, false, 0, 0, ""}, breach_case{"an_empty_file", "out/a", 0, false, 10, 1, ""},
        breach_case{"all_the_bytes_that_are_left", "out/a", 4, false, 6, 1, ""},
        breach_case{"a_byte_more_than_is_left", "out/a", 5, false, 6, 1, "more bytes"},
        breach_case{"a_large_file", "out/a", 9, false, 0, 0, "more bytes"},
        breach_case{"a_size_beyond_all_numbers", "out/a", std::uint64_t{1} << 62, false, 0, 0, "more bytes"},
        breach_case{"a_file_too_many", "out/a", 1, false, 0, 2, "more files"},
        breach_case{"no_pattern", "etc/passwd", 1, false, 0, 0, "a file that no pattern means"},
        breach_case{"the_output_as_a_file", "out/output.json", 1, false, 0, 0, "a file that no pattern means"},
        breach_case{"the_output", "out/output.json", 3, true, 10, 2, ""},
        breach_case{"a_large_output", "out/output.json", 4, true, 0, 0, "a large output"},
        breach_case{"another_output", "out/other.json", 1, true, 0, 0, "another output"}),
    [](const auto& info) { return std::string(info.param.name); });

struct name_case {
    std::string_view name;
    std::string_view strip;
    std::string_view path;
    std::string_view want;
};
void PrintTo(const name_case& c, std::ostream* out) { *out << c.name; }

class ArtifactName : public ::testing::TestWithParam<name_case> { };

TEST_P(ArtifactName, IsThePathWithoutTheStrippedDirectory)
{
    const auto& c = GetParam();
    const collect_spec spec{.strip = std::string(c.strip)};
    EXPECT_EQ(collect_bounds(spec).artifact_name(std::string(c.path)), c.want);
}

INSTANTIATE_TEST_SUITE_P(Cases, ArtifactName,
    ::testing::Values(name_case{"below_it", "out/", "out/a/b", "a/b"}, name_case{"beside_it", "out/", "other/a", "other/a"},
        name_case{"nothing_to_strip", "", "out/a", "out/a"}, name_case{"it_would_be_empty", "out/", "out/", "out/"},
        name_case{"in_the_middle", "out/", "a/out/b", "a/out/b"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(CollectBoundsOutput, IsTheOneOfTheSpec)
{
    const collect_bounds bounds(small_spec);
    EXPECT_TRUE(bounds.is_output("out/output.json"));
    EXPECT_FALSE(bounds.is_output("out/a"));
    const collect_spec none;
    EXPECT_FALSE(collect_bounds(none).is_output("")) << "without an output no path is it";
}

}    // namespace
}    // namespace caisson

#include "core/files/media_types.hpp"

#include <gtest/gtest.h>

#include <string>

namespace caisson {
namespace {

struct type_case {
    std::string_view name;
    std::string_view path;
    std::string_view type;
};
void PrintTo(const type_case& c, std::ostream* out) { *out << c.name; }

class MediaType : public ::testing::TestWithParam<type_case> { };

TEST_P(MediaType, IsSaidByTheName) { EXPECT_EQ(media_type_of(GetParam().path), GetParam().type); }

constexpr std::string_view unknown = "application/octet-stream";

INSTANTIATE_TEST_SUITE_P(Cases, MediaType,
    ::testing::Values(type_case{"text", "a/b.txt", "text/plain; charset=utf-8"}, type_case{"image", "plot.png", "image/png"},
        type_case{"first_of_the_table", "x.avif", "image/avif"}, type_case{"last_of_the_table", "x.zst", "application/zstd"},
        type_case{"upper_case", "REPORT.PDF", "application/pdf"}, type_case{"the_last_extension", "a.tar.gz", "application/gzip"},
        type_case{"no_extension", "Makefile", unknown}, type_case{"a_directory_with_one", "a.png/b", unknown},
        type_case{"hidden_file", ".txt", unknown}, type_case{"unknown_one", "a.xyz", unknown},
        type_case{"nothing_behind_the_dot", "a.", unknown}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace
}    // namespace caisson

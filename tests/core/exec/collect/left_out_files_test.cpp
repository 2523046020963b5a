#include "core/exec/collect/left_out_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace caisson {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

collect_summary summary_of(left_out_files& files)
{
    collect_summary out;
    files.move_into(out);
    return out;
}

TEST(LeftOutFiles, AreToldAndCounted)
{
    left_out_files files;
    files.tell("a", "a symbolic link");
    files.count(7);
    files.count(-1);
    const auto got = summary_of(files);
    EXPECT_THAT(got.skipped, ElementsAre(skipped_file{"a", "a symbolic link"}));
    EXPECT_EQ(got.skipped_files, 6);
}

TEST(LeftOutFiles, AreAtLeastAsManyAsAreTold)
{
    left_out_files files;
    files.tell("a", "a FIFO");
    files.tell("b", "a FIFO");
    files.count(1);
    EXPECT_EQ(summary_of(files).skipped_files, 2);
}

struct told_case {
    std::string_view name;
    std::size_t files;
    std::size_t path_bytes;
    std::size_t want;    // files that are told
};
void PrintTo(const told_case& c, std::ostream* out) { *out << c.name; }

class LeftOutFilesTold : public ::testing::TestWithParam<told_case> { };

TEST_P(LeftOutFilesTold, AreBounded)
{
    const auto& c = GetParam();
    left_out_files files;
    for (std::size_t i = 0; i < c.files; ++i)
        files.tell(std::string(c.path_bytes, 'p'), "");
    EXPECT_THAT(summary_of(files).skipped, SizeIs(c.want));
}

INSTANTIATE_TEST_SUITE_P(Cases, LeftOutFilesTold,
    ::testing::Values(told_case{"none", 0, 1, 0}, told_case{"all", 100, 1, 100}, told_case{"more_than_a_hundred", 101, 1, 100},
        told_case{"as_many_bytes_as_may", 32, 512, 32}, told_case{"more_bytes", 33, 512, 32}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(LeftOutFiles, HaveNoHole)
{
    left_out_files files;
    for (int i = 0; i < 40; ++i)
        files.tell(std::string(500, 'p'), "");
    files.tell("short", "");
    EXPECT_EQ(summary_of(files).skipped.back().path.size(), 500u) << "the short one would fit, but comes behind one that did not";
}

TEST(LeftOutFiles, HaveTextsThatAreCutBetweenCharacters)
{
    left_out_files files;
    files.tell(std::string(511, 'p') + "ä", std::string(512, 'r'));
    const auto got = summary_of(files);
    EXPECT_THAT(got.skipped, ElementsAre(skipped_file{std::string(511, 'p') + "…", std::string(512, 'r')}));
}

TEST(LeftOutFiles, AreNoneIfNothingWasLeftOut)
{
    left_out_files files;
    EXPECT_THAT(summary_of(files).skipped, IsEmpty());
}

}    // namespace
}    // namespace caisson

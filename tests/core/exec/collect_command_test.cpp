#include "core/exec/collect/collect_command.hpp"

#include <gmock/gmock.h>

namespace caisson {
namespace {

TEST(CollectCommand, NamesTheAgentItself)
{
    collect_spec spec;
    spec.patterns = {"out/**", "--max-files"};
    spec.output = "out/output.json";
    const auto argv = collect_command(spec, "/workspace");
    EXPECT_EQ(argv.front(), "/proc/self/exe");
    EXPECT_EQ(argv[1], "--collect");
    EXPECT_EQ(argv[2], "/workspace");
    EXPECT_EQ(argv.back(), "--max-files");
    EXPECT_EQ(argv[argv.size() - 3], "--");
    EXPECT_THAT(argv, ::testing::Contains("out/output.json"));
    auto at_end = collect_at_end_command(spec, "/workspace", 7);
    EXPECT_EQ(at_end[1] + " " + at_end[2], "--collect-at-end 7");
    at_end.erase(at_end.begin() + 2);
    at_end[1] = "--collect";
    EXPECT_EQ(at_end, argv) << "all else is the same";
    EXPECT_FALSE(wants_files(collect_spec()));
    EXPECT_TRUE(wants_files(spec));
}

}    // namespace
}    // namespace caisson

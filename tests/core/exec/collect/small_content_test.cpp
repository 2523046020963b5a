#include "core/exec/collect/small_content.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string_view>
#include <vector>

namespace caisson {
namespace {

struct pieces_case {
    std::string_view name;
    std::vector<std::string> pieces;
    std::string_view want;
};
void PrintTo(const pieces_case& c, std::ostream* out) { *out << c.name; }

class SmallContent : public ::testing::TestWithParam<pieces_case> { };

TEST_P(SmallContent, IsAllOfItsPiecesEachTime)
{
    const auto& c = GetParam();
    small_content content;
    for (int time = 0; time < 2; ++time) {
        for (const auto& each : c.pieces)
            content.add(shared_bytes(each));
        EXPECT_EQ(content.take(), c.want) << time;
    }
    EXPECT_TRUE(content.take().empty());
}

INSTANTIATE_TEST_SUITE_P(Cases, SmallContent,
    ::testing::Values(pieces_case{"none", {}, ""}, pieces_case{"one", {"hello"}, "hello"}, pieces_case{"two", {"he", "llo"}, "hello"},
        pieces_case{"three", {"h", "el", "lo"}, "hello"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(SmallContentOfOnePiece, IsNotCopied)
{
    const shared_bytes piece(std::string("hello"));
    small_content content;
    content.add(piece);
    EXPECT_EQ(content.take().view().data(), piece.view().data());
}

}    // namespace
}    // namespace caisson

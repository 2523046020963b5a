#include "core/base/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace caisson {
namespace {

TEST(RandomFill, FillsAllOfABufferThatNeedsSeveralCalls)
{
    // getrandom(2) may give less than asked for above 256 bytes.
    std::vector<std::uint8_t> bytes(1 << 20, 0);
    random_fill(bytes);
    for (std::size_t from = 0; from < bytes.size(); from += 4096)
        EXPECT_TRUE(std::any_of(bytes.begin() + static_cast<std::ptrdiff_t>(from), bytes.begin() + static_cast<std::ptrdiff_t>(from) + 4096,
            [](std::uint8_t byte) { return byte != 0; }))
            << from;
}

TEST(RandomFill, NothingIsFine) { random_fill({}); }

}    // namespace
}    // namespace caisson

#include "core/base/shared_bytes.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>

namespace caisson {
namespace {

TEST(SharedBytes, ASliceSharesTheBytes)
{
    const shared_bytes all(std::string("0123456789"));
    const auto part = all.slice(2, 3);
    EXPECT_EQ(part.view(), "234");
    EXPECT_EQ(part.view().data(), all.view().data() + 2);
    EXPECT_EQ(part.slice(1).view(), "34");
}

TEST(SharedBytes, ASliceOutlivesTheWhole)
{
    std::optional<shared_bytes> all(std::string(1000, 'x') + "tail");
    const auto part = all->slice(1000);
    all.reset();
    EXPECT_EQ(part.view(), "tail");
}

TEST(SharedBytes, ASliceEndsWithTheBytes)
{
    const shared_bytes all(std::string("abc"));
    EXPECT_EQ(all.slice(1, 100).view(), "bc");
    EXPECT_TRUE(all.slice(3).empty());
    EXPECT_THROW(all.slice(4), std::out_of_range);
}

TEST(SharedBytes, NoneAreEmpty)
{
    EXPECT_TRUE(shared_bytes().empty());
    EXPECT_EQ(shared_bytes().size(), 0u);
    EXPECT_TRUE(shared_bytes().slice(0).empty());
}

TEST(SharedBytes, KeepsEveryByteValue)
{
    std::string every;
    for (int value = 0; value < 256; ++value)
        every.push_back(static_cast<char>(value));
    EXPECT_EQ(shared_bytes(every).view(), every);
}

}    // namespace
}    // namespace caisson

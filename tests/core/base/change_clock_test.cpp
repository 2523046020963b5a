#include "core/base/change_clock.hpp"

#include <gtest/gtest.h>

#include <string>

namespace caisson {
namespace {

TEST(ChangeClock, StandsWhileNothingChanges)
{
    const change_clock clock;
    EXPECT_TRUE(clock.now("mine", "a").has_value());
    EXPECT_EQ(clock.now("mine", "a"), clock.now("mine", "a"));
}

TEST(ChangeClock, HasNoMomentWhileSomethingIsBeingChanged)
{
    change_clock clock;
    const auto before = clock.now("mine", "a");
    {
        const auto first = clock.begin("mine", "a");
        EXPECT_EQ(clock.now("mine", "a"), std::nullopt);
        {
            const auto second = clock.begin("mine", "a");
            EXPECT_EQ(clock.now("mine", "a"), std::nullopt);
        }
        EXPECT_EQ(clock.now("mine", "a"), std::nullopt);
    }
    EXPECT_GT(clock.now("mine", "a"), before);
}

TEST(ChangeClock, MostOthersAreNotTouched)
{
    change_clock clock;
    const auto before = clock.now("mine", "a");
    int touched = 0;
    for (int i = 0; i < 100; ++i) {
        const auto others = clock.begin("other", "a" + std::to_string(i));
        const auto own = clock.begin("mine", "b" + std::to_string(i));
        touched += clock.now("mine", "a") == before ? 0 : 1;
    }
    EXPECT_LT(touched, 5);
}

TEST(ChangeClock, AChangeOfAllIsOneOfEach)
{
    change_clock clock;
    const auto before = clock.now("mine", "a");
    {
        const auto change = clock.begin_all();
        EXPECT_EQ(clock.now("mine", "a"), std::nullopt);
        EXPECT_EQ(clock.now("other", "b"), std::nullopt);
    }
    EXPECT_GT(clock.now("mine", "a"), before);
}

}    // namespace
}    // namespace caisson

#include "app/doors/http/response_cache.hpp"

#include <gtest/gtest.h>

namespace caisson::http {
namespace {

using form = response_cache::form;

std::string name(int number) { return "exe_" + std::to_string(number); }
const auto mine = tenant_id::from_trusted("ten_mine");
const auto other = tenant_id::from_trusted("ten_other");

class KeptAnswers : public ::testing::Test {
protected:
    void keep(int number, const std::string& json, form what = form::whole)
    {
        kept_.keep(mine, name(number), what, shared_bytes(json), kept_.now(mine, name(number)));
    }
    std::string found(int number, form what = form::whole)
    {
        const auto text = kept_.find(mine, name(number), what);
        return text.empty() ? "nothing" : std::string(text.view());
    }

    /// `number` is changed, and that is over.
    void change(int number) { const auto change = clock_.begin(mine.str(), name(number)); }

    change_clock clock_;
    response_cache kept_{clock_, 100 << 10};
};

TEST_F(KeptAnswers, AreWhatWasKept)
{
    keep(1, "{1}");
    keep(2, "{2}");
    EXPECT_EQ(found(1), "{1}");
    EXPECT_EQ(found(2), "{2}");
    EXPECT_EQ(found(3), "nothing");
}

TEST_F(KeptAnswers, AreTheTenantsOwn)
{
    keep(1, "{1}");
    EXPECT_TRUE(kept_.find(other, name(1), form::whole).empty());
    EXPECT_EQ(found(1), "{1}");
}

TEST_F(KeptAnswers, FormsAreApart)
{
    keep(1, "{whole}");
    EXPECT_EQ(found(1, form::brief), "nothing");
    keep(1, "{less}", form::brief);
    EXPECT_EQ(found(1), "{whole}");
    EXPECT_EQ(found(1, form::brief), "{less}");
}

TEST_F(KeptAnswers, OneThatWasChangedIsGoneInAllForms)
{
    keep(1, "{whole}");
    keep(1, "{less}", form::brief);
    keep(2, "{2}");
    change(1);
    EXPECT_EQ(found(1), "nothing");
    EXPECT_EQ(found(1, form::brief), "nothing");
    EXPECT_EQ(found(2), "{2}");
}

TEST_F(KeptAnswers, WhatWasReadBeforeAChangeIsNotKept)
{
    const auto before = kept_.now(mine, name(1));
    change(1);
    kept_.keep(mine, name(1), form::whole, shared_bytes(std::string("{removed}")), before);
    EXPECT_EQ(found(1), "nothing");
    keep(1, "{anew}");
    EXPECT_EQ(found(1), "{anew}");
}

TEST_F(KeptAnswers, NothingIsKeptOfWhatIsBeingChanged)
{
    keep(1, "{before}");
    {
        const auto change = clock_.begin(mine.str(), name(1));
        EXPECT_EQ(found(1), "nothing");
        keep(1, "{meanwhile}");
        EXPECT_EQ(found(1), "nothing");
    }
    EXPECT_EQ(found(1), "nothing");
    keep(1, "{after}");
    EXPECT_EQ(found(1), "{after}");
}

TEST_F(KeptAnswers, WhatWasReadBeforeAChangeDoesNotReplaceWhatWasReadAfterIt)
{
    const auto before = kept_.now(mine, name(1));
    change(1);
    keep(1, "{after}");
    kept_.keep(mine, name(1), form::whole, shared_bytes(std::string("{before}")), before);
    EXPECT_EQ(found(1), "{after}");
}

TEST_F(KeptAnswers, ThoseUsedLastStayWithinTheBound)
{
    const std::string text(20 << 10, 'x');
    for (int number = 1; number <= 4; ++number)
        keep(number, text);
    EXPECT_EQ(found(1), text);
    keep(5, text);
    EXPECT_EQ(found(2), "nothing");
    for (const int number : {1, 3, 4, 5})
        EXPECT_EQ(found(number), text) << number;
    EXPECT_LE(kept_.bytes(), 100u << 10);
}

TEST_F(KeptAnswers, BytesAreThoseOfWhatIsKept)
{
    keep(1, std::string(1'000, 'x'));
    const auto one = kept_.bytes();
    EXPECT_GE(one, 1'000u);
    keep(1, std::string(1'000, 'x'));
    EXPECT_EQ(kept_.bytes(), one);
    keep(2, std::string(1'000, 'x'));
    change(1);
    EXPECT_EQ(found(1), "nothing");
    EXPECT_EQ(kept_.bytes(), one);
    change(2);
    EXPECT_EQ(found(2), "nothing");
    EXPECT_EQ(kept_.bytes(), 0u);
}

TEST(KeptAnswersBounds, ALongTextIsNotKeptAndPushesNothingOut)
{
    const change_clock clock;
    response_cache kept(clock);
    const auto keep = [&kept](const std::string& name, std::size_t bytes) {
        kept.keep(mine, name, form::whole, shared_bytes(std::string(bytes, 'x')), kept.now(mine, name));
    };
    keep("short", 3);
    keep("long", response_cache::most_text_bytes + 1);
    EXPECT_TRUE(kept.find(mine, "long", form::whole).empty());
    EXPECT_FALSE(kept.find(mine, "short", form::whole).empty());
}

}    // namespace
}    // namespace caisson::http

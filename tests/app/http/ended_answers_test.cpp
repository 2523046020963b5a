#include "app/http/ended_answers.hpp"

#include <gtest/gtest.h>

namespace caisson::http {
namespace {

using form = ended_answers::form;

execution_id exe(int number) { return execution_id::from_trusted("exe_" + std::to_string(number)); }
const auto mine = tenant_id::from_trusted("ten_mine");
const auto other = tenant_id::from_trusted("ten_other");

class EndedAnswers : public ::testing::Test {
protected:
    void keep(int number, const std::string& json, form what = form::whole)
    {
        kept_.keep(mine, exe(number), what, shared_bytes(json), kept_.now());
    }
    std::string found(int number, form what = form::whole)
    {
        const auto text = kept_.find(mine, exe(number), what);
        return text.empty() ? "nothing" : std::string(text.view());
    }

    ended_answers kept_{100 << 10};
};

TEST_F(EndedAnswers, AreWhatWasKept)
{
    keep(1, "{1}");
    keep(2, "{2}");
    EXPECT_EQ(found(1), "{1}");
    EXPECT_EQ(found(2), "{2}");
    EXPECT_EQ(found(3), "nothing");
}

TEST_F(EndedAnswers, AreTheTenantsOwn)
{
    keep(1, "{1}");
    EXPECT_TRUE(kept_.find(other, exe(1), form::whole).empty());
    EXPECT_EQ(found(1), "{1}");
}

TEST_F(EndedAnswers, FormsAreApart)
{
    keep(1, "{whole}");
    EXPECT_EQ(found(1, form::without_output), "nothing");
    keep(1, "{less}", form::without_output);
    EXPECT_EQ(found(1), "{whole}");
    EXPECT_EQ(found(1, form::without_output), "{less}");
}

TEST_F(EndedAnswers, AForgottenOneIsGoneInAllForms)
{
    keep(1, "{whole}");
    keep(1, "{less}", form::without_output);
    keep(2, "{2}");
    kept_.forget(exe(1));
    EXPECT_EQ(found(1), "nothing");
    EXPECT_EQ(found(1, form::without_output), "nothing");
    EXPECT_EQ(found(2), "{2}");
}

TEST_F(EndedAnswers, WhatWasReadBeforeARemovalIsNotKept)
{
    const auto before = kept_.now();
    kept_.forget(exe(1));
    kept_.keep(mine, exe(1), form::whole, shared_bytes(std::string("{removed}")), before);
    EXPECT_EQ(found(1), "nothing");
    keep(1, "{anew}");
    EXPECT_EQ(found(1), "{anew}");
}

TEST_F(EndedAnswers, ThoseUsedLastStayWithinTheBound)
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

TEST_F(EndedAnswers, BytesAreThoseOfWhatIsKept)
{
    keep(1, std::string(1'000, 'x'));
    const auto one = kept_.bytes();
    EXPECT_GE(one, 1'000u);
    keep(1, std::string(1'000, 'x'));
    EXPECT_EQ(kept_.bytes(), one);
    keep(2, std::string(1'000, 'x'));
    kept_.forget(exe(1));
    kept_.forget(exe(1));
    EXPECT_EQ(kept_.bytes(), one);
    kept_.forget(exe(2));
    EXPECT_EQ(kept_.bytes(), 0u);
}

TEST(EndedAnswersBounds, ALongTextIsNotKeptAndPushesNothingOut)
{
    ended_answers kept;
    kept.keep(mine, exe(1), form::whole, shared_bytes(std::string("{1}")), kept.now());
    kept.keep(mine, exe(2), form::whole, shared_bytes(std::string(ended_answers::most_text_bytes + 1, 'x')), kept.now());
    EXPECT_TRUE(kept.find(mine, exe(2), form::whole).empty());
    EXPECT_FALSE(kept.find(mine, exe(1), form::whole).empty());
}

}    // namespace
}    // namespace caisson::http

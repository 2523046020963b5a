#include "core/languages/fortran_order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace caisson {

namespace {

using ::testing::ElementsAre;

TEST(FortranOrder, WhatDefinesAModuleStandsBeforeWhatUsesIt)
{
    EXPECT_THAT(fortran_order({{"a", "module a\n use b\nend module a"},
                    {"b", "MODULE B ! one\n use, intrinsic :: iso_c_binding\n Use :: C\nend module"}, {"c", "module c\nend"}, {"d", ""}}),
        ElementsAre("c", "b", "a", "d"));
}

TEST(FortranOrder, ElseTheyStayAsTheyAre)
{
    EXPECT_THAT(fortran_order({{"b", "subroutine b\nend"}, {"a", "module a\nend"}}), ElementsAre("b", "a"));
    EXPECT_THAT(fortran_order({}), ElementsAre());
    EXPECT_THAT(fortran_order({{"x", "module procedure y\n! use a\n print *, 'use a'\n use\n"}, {"a", "module a"}, {"y", "module y"}}),
        ElementsAre("x", "a", "y"));
}

TEST(FortranOrder, SubmodulesComeBehindTheirParents)
{
    EXPECT_THAT(
        fortran_order({{"1", "submodule (m:s) t\nend"}, {"2", "submodule(m) s\nend"}, {"3", "module m\nend"}}), ElementsAre("3", "2", "1"));
}

TEST(FortranOrder, ACircleEnds)
{
    EXPECT_THAT(fortran_order({{"a", "module a\nuse b\nend"}, {"b", "module b\nuse a\nend"}, {"c", "module c\nuse c\nuse a\nend"}}),
        ElementsAre("b", "a", "c"));
}

TEST(FortranOrder, OfALongChainIsQuick)
{
    std::vector<std::string> texts;
    for (int i = 0; i < 1'000; ++i)
        texts.push_back("module m" + std::to_string(i) + "\nuse m" + std::to_string(i + 1) + "\nend");
    std::vector<fortran_file> files;
    for (int i = 0; i < 1'000; ++i)
        files.push_back({std::to_string(i), texts[static_cast<std::size_t>(i)]});
    const auto order = fortran_order(files);
    ASSERT_EQ(order.size(), 1'000u);
    EXPECT_EQ(order.front(), "999");
    EXPECT_EQ(order.back(), "0");
}

}    // namespace

}    // namespace caisson

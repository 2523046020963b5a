#include "core/auth/key_text.hpp"

#include <gtest/gtest.h>

#include <set>

namespace caisson {
namespace {

TEST(KeyText, HasTheForm)
{
    const auto key = make_key_text();
    EXPECT_EQ(key.reveal().size(), 47u);
    EXPECT_TRUE(key.reveal().starts_with("csn_"));
    EXPECT_TRUE(is_key_text(key.reveal()));
}

TEST(KeyText, DiffersEachTime)
{
    std::set<std::string> seen;
    for (int i = 0; i < 1'000; ++i)
        EXPECT_TRUE(seen.insert(std::string(make_key_text().reveal())).second);
}

TEST(KeyText, UsesAllLetters)
{
    const auto text = random_letters(20'000);
    EXPECT_EQ(text.size(), 20'000u);
    EXPECT_EQ(std::set<char>(text.begin(), text.end()).size(), 62u);
}

TEST(KeyText, HintIsTheEnd)
{
    EXPECT_EQ(hint_of("csn_abcdef"), "cdef");
    EXPECT_EQ(hint_of("ab"), "ab");
    EXPECT_EQ(hint_of(""), "");
}

}    // namespace
}    // namespace caisson

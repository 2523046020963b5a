#include "core/threads/text_index.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace caisson {

namespace {

TEST(TextIndex, KnowsWhereEachValueLies)
{
    const std::string text = R"({"a":[1,{"x":"]\\"},[]],"b\"":null})";
    const text_index index(text);
    EXPECT_EQ(index.kind(0), json_kind::object);
    EXPECT_EQ(index.text(0), text);
    EXPECT_EQ(index.size(0), 2U);
    EXPECT_EQ(index.height(0), 3U);
    const auto list = index.first(0);
    EXPECT_EQ(index.name(list), "\"a\"");
    EXPECT_EQ(index.size(list), 3U);
    EXPECT_EQ(index.kind(index.first(list)), json_kind::number);
    const auto object = index.next(index.first(list));
    EXPECT_EQ(index.text(object), R"({"x":"]\\"})");
    EXPECT_EQ(index.text(index.first(object)), R"("]\\")");
    const auto empty = index.next(object);
    EXPECT_EQ(index.height(empty), 1U);
    const auto last = index.next(list);
    EXPECT_EQ(index.name(last), R"("b\"")");
    EXPECT_EQ(index.kind(last), json_kind::word);
    EXPECT_EQ(index.height(last), 0U);
}

TEST(TextIndex, TellsEqualValuesFromOthers)
{
    const std::string a = R"([{"x":[1,2]},{"x":[1,2]},{"x":[1,3]},{"y":[1,2]},1,"1"])";
    const text_index index(a);
    std::vector<text_index::position> all{index.first(0)};
    while (all.size() < index.size(0))
        all.push_back(index.next(all.back()));
    for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t j = 0; j < all.size(); ++j) {
            const bool equal = index.text(all[i]) == index.text(all[j]);
            EXPECT_EQ(text_index::same(index, all[i], index, all[j]), equal);
            EXPECT_EQ(!text_index::before(index, all[i], index, all[j]) && !text_index::before(index, all[j], index, all[i]), equal);
        }
}

TEST(TextIndex, RefusesWhatIsNoJson)
{
    for (const auto* text :
        {"", "{", "[1", "[1,]", "[,1]", "[1}", "{\"a\"}", "{\"a\":}", "{1:2}", "\"a", "\"a\\\"", "[1]2", "[1]]", "{\"a\":1,}"})
        EXPECT_THROW(text_index{std::string_view(text)}, std::invalid_argument) << text;
    EXPECT_THROW(text_index{std::string(2'000, '[')}, std::invalid_argument);
}

}    // namespace

}    // namespace caisson

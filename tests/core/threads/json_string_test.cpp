#include "core/threads/json_string.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace caisson {

namespace {

using namespace std::string_literals;

TEST(QuotedJson, ComesBackAsItWas)
{
    std::string all;
    for (int c = 0; c < 0x80; ++c)
        all += static_cast<char>(c);
    for (const auto& text : {""s, "plain"s, all, "\\u0041"s, "\xF0\x9F\x98\x80 \xC3\xA9"s, "\0"s, "ends with \\"s})
        EXPECT_EQ(unquoted_json(quoted_json(text)), text);
    EXPECT_EQ(quoted_json("a\n\x1F\"/"), R"("a\n\u001f\"/")");
}

TEST(CompareQuoted, GoesByWhatIsMeant)
{
    const std::vector<std::string> ordered{"", "\0"s, "\n", " ", "!", "\"", "#", "A", "a", "a\0"s, "a\"", "ab", "\xC3\xA9"};
    for (std::size_t i = 0; i < ordered.size(); ++i)
        for (std::size_t j = 0; j < ordered.size(); ++j)
            EXPECT_EQ(compare_quoted(quoted_json(ordered[i]), quoted_json(ordered[j])), i <=> j) << i << " " << j;
}

}    // namespace

}    // namespace caisson

#include "app/wire/idempotency_key.hpp"

#include <gtest/gtest.h>

namespace caisson::wire {

namespace {

struct key_case {
    std::string_view name;
    std::string field;
    std::string want;    // empty: refused
};
void PrintTo(const key_case& c, std::ostream* out) { *out << c.name; }

class IdempotencyKey : public ::testing::TestWithParam<key_case> { };

TEST_P(IdempotencyKey, IsReadOrRefused)
{
    const auto& c = GetParam();
    const auto key = parse_idempotency_key(c.field);
    if (!c.want.empty()) {
        ASSERT_TRUE(key.has_value());
        EXPECT_EQ(*key, c.want);
        return;
    }
    ASSERT_TRUE(key.has_error());
    EXPECT_EQ(key.error().code, errc::bad_request);
    EXPECT_EQ(key.error().fields.at(0).field, "Idempotency-Key");
    EXPECT_NE(key.error().detail.find("1 to 255"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Cases, IdempotencyKey,
    ::testing::Values(key_case{"plain", "8e03978e-40d5-43e8", "8e03978e-40d5-43e8"}, key_case{"in_quotes", R"("8e03978e")", "8e03978e"},
        key_case{"blanks_around", "\t k \t", "k"}, key_case{"blank_inside_quotes", R"("a b")", "a b"},
        key_case{"escaped_quote", R"("a\"b\\c")", R"(a"b\c)"}, key_case{"longest", std::string(255, 'k'), std::string(255, 'k')},
        key_case{"longest_in_quotes", '"' + std::string(255, 'k') + '"', std::string(255, 'k')}, key_case{"empty", "", ""},
        key_case{"only_blanks", "  ", ""}, key_case{"empty_quotes", R"("")", ""}, key_case{"too_long", std::string(256, 'k'), ""},
        key_case{"no_closing_quote", R"("abc)", ""}, key_case{"one_quote", R"(")", ""}, key_case{"behind_the_quotes", R"("abc";p=1)", ""},
        key_case{"unknown_escape", R"("a\nb")", ""}, key_case{"escape_at_the_end", "\"a\\", ""}, key_case{"not_ascii", "k\xc3\xa9", ""},
        key_case{"control", std::string("k\x01", 2), ""}, key_case{"nul", std::string("k\0k", 3), ""}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace

}    // namespace caisson::wire

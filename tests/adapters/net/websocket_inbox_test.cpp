#include "adapters/net/websocket_inbox.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

namespace caisson::net {
namespace {

constexpr std::size_t empty_string_bytes = 64;    // what an empty one may count

TEST(WebSocketInbox, PutsMessagesTogetherAndKeepsTheirOrder)
{
    websocket_inbox inbox(nullptr, 2);
    EXPECT_TRUE(inbox.append("ab"));
    EXPECT_TRUE(inbox.append("c"));
    EXPECT_EQ(inbox.current_bytes(), 3u);
    EXPECT_TRUE(inbox.empty());
    inbox.deliver(message_kind::text);
    EXPECT_EQ(inbox.current_bytes(), 0u);
    EXPECT_FALSE(inbox.is_full());
    inbox.append("d");
    inbox.deliver(message_kind::binary);
    EXPECT_TRUE(inbox.is_full());
    const auto first = inbox.take_front();
    EXPECT_EQ(first.data, "abc");
    EXPECT_EQ(first.kind, message_kind::text);
    const auto second = inbox.take_front();
    EXPECT_EQ(second.data, "d");
    EXPECT_EQ(second.kind, message_kind::binary);
    EXPECT_TRUE(inbox.empty());
}

TEST(WebSocketInbox, CountsInTheBudgetUntilTheMessageIsTaken)
{
    const auto budget = std::make_shared<message_budget>(message_budget{1 << 20, 0});
    websocket_inbox inbox(budget, 10);
    EXPECT_TRUE(inbox.append(std::string(300'000, 'm')));
    EXPECT_GE(budget->used, 300'000u);
    inbox.deliver(message_kind::binary);
    EXPECT_GE(budget->used, 300'000u);
    inbox.take_front();
    EXPECT_LT(budget->used, empty_string_bytes);
}

TEST(WebSocketInbox, GivesTheBudgetBackAtItsEnd)
{
    const auto budget = std::make_shared<message_budget>(message_budget{1 << 20, 0});
    {
        websocket_inbox inbox(budget, 10);
        inbox.append(std::string(100'000, 'm'));
        inbox.deliver(message_kind::binary);
        inbox.append(std::string(100'000, 'n'));
    }
    EXPECT_EQ(budget->used, 0u);
}

TEST(WebSocketInbox, DropsTheCurrentMessageIfTheBudgetIsExceeded)
{
    const auto budget = std::make_shared<message_budget>(message_budget{1, 0});
    websocket_inbox inbox(budget, 10);
    EXPECT_TRUE(inbox.append(std::string(30'000, 's'))) << "a small one passes whatever others hold";
    inbox.deliver(message_kind::binary);
    EXPECT_FALSE(inbox.append(std::string(200'000, 'l')));
    EXPECT_EQ(inbox.current_bytes(), 0u);
    EXPECT_EQ(inbox.take_front().data.size(), 30'000u) << "what was there before is kept";
    EXPECT_LT(budget->used, empty_string_bytes);
}

struct text_case {
    std::string_view name;
    std::string_view text;
    bool is_cut;
};
void PrintTo(const text_case& c, std::ostream* out) { *out << c.name; }

class WebSocketInboxText : public ::testing::TestWithParam<text_case> { };

TEST_P(WebSocketInboxText, MayEndWithinACharacter)
{
    websocket_inbox inbox(nullptr, 1);
    inbox.append(GetParam().text);
    EXPECT_EQ(inbox.is_cut_in_character(), GetParam().is_cut);
    inbox.drop_current();
    EXPECT_FALSE(inbox.is_cut_in_character());
}

INSTANTIATE_TEST_SUITE_P(Cases, WebSocketInboxText,
    ::testing::Values(text_case{"empty", "", false}, text_case{"ascii", "abc", false}, text_case{"whole", "a\xc3\xa4", false},
        text_case{"cut", "a\xc3", true}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace
}    // namespace caisson::net

#include "adapters/net/websocket_closing.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

namespace caisson::net {
namespace {

struct reason_case {
    std::string_view name;
    std::string reason;
    std::size_t want_bytes;
};
void PrintTo(const reason_case& c, std::ostream* out) { *out << c.name; }

class WebSocketClosingReason : public ::testing::TestWithParam<reason_case> { };

TEST_P(WebSocketClosingReason, IsCutToWhatACloseFrameHolds)
{
    const auto& c = GetParam();
    websocket_closing closing;
    closing.begin(close_code::policy, c.reason);
    EXPECT_EQ(closing.code(), close_code::policy);
    EXPECT_EQ(closing.reason(), c.reason.substr(0, c.want_bytes));
}

INSTANTIATE_TEST_SUITE_P(Cases, WebSocketClosingReason,
    ::testing::Values(reason_case{"none", "", 0}, reason_case{"longest", std::string(123, 'r'), 123},
        reason_case{"too_long", std::string(124, 'r'), 123}, reason_case{"cut_before_a_character", std::string(122, 'r') + "\xc3\xa4", 122},
        reason_case{"cut_behind_a_character", std::string(121, 'r') + "\xc3\xa4s", 123}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(WebSocketClosing, GoesFromOpenToClosed)
{
    websocket_closing closing;
    EXPECT_TRUE(closing.is_open());
    closing.begin(close_code::going_away, "");
    EXPECT_EQ(closing.now(), websocket_closing::state::closing);
    EXPECT_FALSE(closing.is_open());
    EXPECT_FALSE(closing.is_closed());
    closing.finish();
    EXPECT_TRUE(closing.is_closed());
}

TEST(WebSocketClosing, KnowsWhatThePeerSaid)
{
    websocket_closing closing;
    EXPECT_EQ(closing.peer_code(), close_code::abnormal) << "before its close frame";
    closing.heard(0, "");
    EXPECT_EQ(closing.peer_code(), close_code::no_status);
    closing.heard(close_code::too_big, "too big");
    EXPECT_EQ(closing.peer_code(), close_code::too_big);
    EXPECT_EQ(closing.peer_reason(), "too big");
}

}    // namespace
}    // namespace caisson::net

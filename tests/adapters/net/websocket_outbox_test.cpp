#include "adapters/net/websocket_outbox.hpp"

#include <gtest/gtest.h>

#include <string>

namespace caisson::net {
namespace {

constexpr auto message_overhead = outgoing::overhead_bytes;

outgoing text_of(std::size_t bytes) { return {message_kind::text, std::string(bytes, 't'), {}}; }

TEST(WebSocketOutbox, CountsPrefixAndPayloadAndWhatAMessageCosts)
{
    websocket_outbox outbox(1000);
    EXPECT_TRUE(outbox.empty());
    EXPECT_TRUE(outbox.push({message_kind::binary, "ab", shared_bytes(std::string("cde"))}));
    EXPECT_EQ(outbox.bytes(), 5 + message_overhead);
    EXPECT_TRUE(outbox.push(text_of(10)));
    EXPECT_EQ(outbox.bytes(), 15 + 2 * message_overhead);
}

TEST(WebSocketOutbox, SaysWhenItIsAboveItsBound)
{
    websocket_outbox outbox(10 + message_overhead);
    EXPECT_TRUE(outbox.push(text_of(10))) << "at the bound";
    EXPECT_FALSE(outbox.push(text_of(0)));
}

TEST(WebSocketOutbox, SendsOneAfterTheOther)
{
    const steady_time now{};
    websocket_outbox outbox(1000);
    outbox.push(text_of(1));
    outbox.push(text_of(2));
    EXPECT_EQ(outbox.sending_since(), std::nullopt);
    EXPECT_EQ(outbox.begin_front(now).prefix, "t");
    EXPECT_EQ(outbox.sending_since(), now);
    EXPECT_EQ(outbox.bytes(), 3 + 2 * message_overhead) << "what is being sent still counts";
    outbox.finish_front();
    EXPECT_EQ(outbox.sending_since(), std::nullopt);
    EXPECT_EQ(outbox.bytes(), 2 + message_overhead);
    EXPECT_EQ(outbox.begin_front(now).prefix, "tt");
}

TEST(WebSocketOutbox, DropsAllButWhatIsBeingSent)
{
    websocket_outbox outbox(1000);
    for (const std::size_t bytes : {1, 2, 3})
        outbox.push(text_of(bytes));
    outbox.begin_front({});
    outbox.drop_unsent();
    EXPECT_EQ(outbox.bytes(), 1 + message_overhead);
    outbox.finish_front();
    outbox.push(text_of(4));
    outbox.drop_unsent();
    EXPECT_TRUE(outbox.empty());
    EXPECT_EQ(outbox.bytes(), 0u);
}

}    // namespace
}    // namespace caisson::net

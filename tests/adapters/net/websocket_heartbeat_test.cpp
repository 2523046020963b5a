#include "adapters/net/websocket_heartbeat.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

namespace caisson::net {
namespace {

using namespace std::chrono_literals;

constexpr steady_time begin_time{};
constexpr websocket_heartbeat::observed idle_link{};
constexpr websocket_heartbeat::observed sending_link{.sending_since = begin_time};
constexpr websocket_heartbeat::observed paused_link{.reading_paused = true};
constexpr websocket_heartbeat::observed receiving(std::size_t bytes) { return {.message_bytes = bytes}; }

enum class before_beat { silence, activity, end_of_message };
using enum before_beat;

/// What happens before a beat.
struct beat_step {
    before_beat before;
    websocket_heartbeat::observed link;
};

struct beat_case {
    std::string_view name;
    std::vector<beat_step> steps;    // a beat every 20 s, each with a ping; a message may take 60 s to send
    bool given_up;                   // by the last beat; by no earlier one
};
void PrintTo(const beat_case& c, std::ostream* out) { *out << c.name; }

class WebSocketHeartbeatCases : public ::testing::TestWithParam<beat_case> { };

TEST_P(WebSocketHeartbeatCases, GivesUpADeadOrSlowPeer)
{
    const websocket_options options{.ping_interval = 20s, .pong_timeout = 20s, .write_timeout = 60s};
    websocket_heartbeat heart(options);
    std::optional next = heart.first_beat(begin_time);
    for (const auto& step : GetParam().steps) {
        ASSERT_TRUE(next.has_value());
        if (step.before != silence)
            heart.note_activity();
        if (step.before == end_of_message)
            heart.note_message();
        next = heart.beat(*next, step.link);
    }
    EXPECT_EQ(!next, GetParam().given_up);
}

INSTANTIATE_TEST_SUITE_P(Cases, WebSocketHeartbeatCases,
    ::testing::Values(beat_case{"first_beat_only_pings", {{silence, idle_link}}, false},
        beat_case{"silent", {{silence, idle_link}, {silence, idle_link}}, true},
        beat_case{"answers", {{silence, idle_link}, {activity, idle_link}, {activity, idle_link}}, false},
        beat_case{"falls_silent", {{silence, idle_link}, {activity, idle_link}, {silence, idle_link}}, true},
        beat_case{"not_read_from", {{silence, paused_link}, {silence, paused_link}, {silence, paused_link}}, false},
        beat_case{"takes_a_message_slowly", {{silence, sending_link}, {silence, sending_link}}, false},
        beat_case{"takes_a_message_too_slowly", {{silence, sending_link}, {silence, sending_link}, {silence, sending_link}}, true},
        beat_case{
            "takes_a_message_slowly_and_answers", {{silence, sending_link}, {activity, sending_link}, {activity, sending_link}}, false},
        beat_case{"sends_a_message_too_slowly", {{silence, idle_link}, {activity, receiving(1)}, {activity, receiving(2)}}, true},
        beat_case{
            "sends_a_message_fast_enough", {{silence, idle_link}, {activity, receiving(1)}, {activity, receiving(1 + 16 * 1024)}}, false},
        beat_case{"began_another_message", {{silence, idle_link}, {activity, receiving(1)}, {end_of_message, receiving(2)}}, false},
        beat_case{"sent_nothing_between", {{silence, idle_link}, {activity, receiving(1)}, {activity, idle_link}, {activity, receiving(2)}},
            false}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(WebSocketHeartbeat, PingsAndChecksTakeTurns)
{
    const websocket_options options{.ping_interval = 30s, .pong_timeout = 10s};
    websocket_heartbeat heart(options);
    EXPECT_EQ(heart.first_beat(begin_time), begin_time + 30s);
    EXPECT_FALSE(heart.ping_due());
    EXPECT_EQ(heart.beat(begin_time + 30s, idle_link), begin_time + 40s);
    EXPECT_TRUE(heart.ping_due());
    heart.ping_begun();
    heart.note_activity();
    EXPECT_EQ(heart.beat(begin_time + 40s, idle_link), begin_time + 60s);
    EXPECT_FALSE(heart.ping_due()) << "only checked";
    EXPECT_EQ(heart.beat(begin_time + 60s, idle_link), begin_time + 70s);
    EXPECT_TRUE(heart.ping_due());
}

TEST(WebSocketHeartbeat, OfIntervalZeroIsDisabled)
{
    const websocket_options never{.ping_interval = 0s};
    EXPECT_FALSE(websocket_heartbeat(never).is_enabled());
    const websocket_options usual;
    EXPECT_TRUE(websocket_heartbeat(usual).is_enabled());
}

}    // namespace
}    // namespace caisson::net

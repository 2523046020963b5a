#include "core/protocol/signal_queue.hpp"

#include "tests/core/protocol/frames.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

namespace caisson::protocol {
namespace {

constexpr signal_order kill_of_all{9, false, true};

/// The signals that are due, each as its number and its order.
std::string due(signal_queue& of, std::uint32_t version = protocol_version)
{
    std::string bytes;
    of.fill(bytes, 1, version);
    std::string out;
    for (const auto& each : frames_of(bytes)) {
        const auto order = each.as<signal_order>();
        out += (out.empty() ? "" : " ") + std::to_string(order.number) + "#" + std::to_string(order.order);
    }
    return out;
}

struct signals_case {
    std::string_view name;
    signal_numbers numbers;
    void (*steps)(signal_queue&);    // after two signals, 10 and 12, were queued
    std::uint32_t version;
    std::string_view want;    // due afterwards
};
void PrintTo(const signals_case& c, std::ostream* out) { *out << c.name; }

class SignalQueueCases : public ::testing::TestWithParam<signals_case> { };

TEST_P(SignalQueueCases, SendEachUntilItIsConfirmed)
{
    const auto& c = GetParam();
    signal_queue queue(c.numbers);
    ASSERT_TRUE(queue.push({10}));
    ASSERT_TRUE(queue.push({12}));
    c.steps(queue);
    EXPECT_EQ(due(queue, c.version), c.want);
}

void nothing(signal_queue&) { }
void send_all(signal_queue& queue) { due(queue); }
void send_and_reconnect(signal_queue& queue)
{
    due(queue);
    queue.restart();
}
void send_confirm_one_and_reconnect(signal_queue& queue)
{
    due(queue);
    queue.confirm(1);
    queue.restart();
}
void send_to_an_old_agent_and_reconnect(signal_queue& queue)
{
    due(queue, first_with_orders - 1);
    queue.restart();
}

INSTANTIATE_TEST_SUITE_P(Cases, SignalQueueCases,
    ::testing::Values(signals_case{"new", signal_numbers::known, nothing, protocol_version, "10#1 12#2"},
        signals_case{"sent", signal_numbers::known, send_all, protocol_version, ""},
        signals_case{"sent_on_an_earlier_connection", signal_numbers::known, send_and_reconnect, protocol_version, "10#1 12#2"},
        signals_case{"confirmed_in_part", signal_numbers::known, send_confirm_one_and_reconnect, protocol_version, "12#2"},
        signals_case{"numbers_unknown", signal_numbers::unknown, nothing, protocol_version, ""},
        signals_case{"numbers_told", signal_numbers::unknown, [](signal_queue& queue) { queue.confirm(7); }, protocol_version, "10#8 12#9"},
        signals_case{"old_agent", signal_numbers::known, nothing, first_with_orders - 1, "10#0 12#0"},
        signals_case{"old_agent_heard_them", signal_numbers::known, send_to_an_old_agent_and_reconnect, first_with_orders - 1, ""},
        signals_case{"cleared", signal_numbers::known, [](signal_queue& queue) { queue.clear(); }, protocol_version, ""}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(SignalQueue, KeepsOneUnsentKillOfAllHoweverManySignalsWait)
{
    signal_queue queue(signal_numbers::known);
    while (queue.push({10})) { }
    EXPECT_FALSE(queue.has_kill_of_all());
    EXPECT_TRUE(queue.push(kill_of_all));
    EXPECT_TRUE(queue.push(kill_of_all));
    EXPECT_TRUE(queue.has_kill_of_all());
    const auto frames = due(queue);
    EXPECT_NE(frames.find("9#"), std::string::npos);
    EXPECT_EQ(frames.find("9#"), frames.rfind("9#"));
}

}    // namespace
}    // namespace caisson::protocol

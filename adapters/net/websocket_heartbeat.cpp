#include "adapters/net/websocket_heartbeat.hpp"

#include <algorithm>

namespace caisson::net {

namespace {

/// The least progress of a message in each ping interval.
constexpr std::size_t least_progress_bytes = 16 * 1024;

}    // namespace

std::optional<steady_time> websocket_heartbeat::beat(steady_time now, const observed& link)
{
    const auto rest = std::max(options_.ping_interval - options_.pong_timeout, std::chrono::milliseconds(0));
    if (ping_sent_ && (is_stalled(now, link) || dribbles(link.message_bytes)))
        return std::nullopt;
    ping_sent_ = !ping_sent_ || rest.count() == 0;
    if (!ping_sent_)
        return now + rest;
    heard_ = false;
    ping_due_ = true;
    return now + options_.pong_timeout;
}

bool websocket_heartbeat::is_stalled(steady_time now, const observed& link) const
{
    if (heard_)
        return false;
    if (link.sending_since)
        return now - *link.sending_since >= options_.write_timeout;
    return !link.reading_paused;
}

bool websocket_heartbeat::dribbles(std::size_t message_bytes)
{
    const bool same = message_bytes > 0 && message_seen_ == messages_;
    const bool slow = same && message_bytes - bytes_seen_ < least_progress_bytes;
    message_seen_ = message_bytes == 0 ? UINT64_MAX : messages_;
    bytes_seen_ = message_bytes;
    return slow;
}

}    // namespace caisson::net

#pragma once

#include "adapters/net/websocket.hpp"
#include "core/base/clock.hpp"

#include <cstdint>
#include <optional>

namespace caisson::net {

/// Decides when a WebSocket pings its peer, and when a peer is given up: it is silent, takes no message, or sends one too slowly. No I/O.
class websocket_heartbeat {
public:
    /// `options` outlives this.
    explicit websocket_heartbeat(const websocket_options& options) : options_(options) { }

    /// What the connection looks like at a beat.
    struct observed {
        std::size_t message_bytes = 0;               // received of the incomplete message
        std::optional<steady_time> sending_since;    // begin of the message being sent
        bool reading_paused = false;                 // a pong would not be seen
    };

    bool is_enabled() const { return options_.ping_interval.count() > 0; }
    steady_time first_beat(steady_time now) const { return now + options_.ping_interval; }
    /// Requests a ping, or checks the peer's activity since. Returns the time of the next beat; nothing if the peer is given up.
    std::optional<steady_time> beat(steady_time now, const observed& link);
    /// The peer sent or took something.
    void note_activity() { heard_ = true; }
    /// A message was received completely.
    void note_message() { ++messages_; }

    /// A ping is requested.
    bool ping_due() const { return ping_due_; }
    void ping_begun() { ping_due_ = false; }

private:
    bool is_stalled(steady_time now, const observed& link) const;
    /// True if an incomplete message makes too little progress. Call once in each ping interval.
    bool dribbles(std::size_t message_bytes);

    const websocket_options& options_;
    bool ping_due_ = false;
    bool ping_sent_ = false;    // and not checked for an answer yet
    bool heard_ = false;        // activity since the last ping
    std::uint64_t messages_ = 0;
    std::uint64_t message_seen_ = UINT64_MAX;    // the incomplete message that dribbles() saw last
    std::size_t bytes_seen_ = 0;
};

}    // namespace caisson::net

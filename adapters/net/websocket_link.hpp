#pragma once

#include "adapters/net/read_room.hpp"
#include "adapters/net/websocket_closing.hpp"
#include "adapters/net/websocket_heartbeat.hpp"
#include "adapters/net/websocket_inbox.hpp"
#include "adapters/net/websocket_outbox.hpp"
#include "adapters/net/websocket_stream.hpp"
#include "adapters/net/websocket_teardown.hpp"
#include "core/async/notifier.hpp"

#include <boost/beast/websocket/stream.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace caisson::net {

namespace beast = boost::beast;

enum class side { server, client };

/// A WebSocket's stream with its queues, heartbeat and closing, shared by the websocket object and its two background tasks. Wakes those
/// who wait for a change of them.
struct websocket_link final : beating {
    websocket_link(stream socket, side of, websocket_options the_options, const websocket_host& host);
    websocket_link(const websocket_link&) = delete;
    websocket_link& operator=(const websocket_link&) = delete;

    /// Cuts the connection and wakes all waiters.
    void finish();
    /// Makes the writer send a close frame after the queue.
    void begin_close(std::uint16_t code, std::string reason);
    /// Queues a message. False if the socket is not open, or is cut because too much is queued.
    bool push(outgoing one);
    /// Appends received bytes to the current message. If the shared budget is exceeded, begins the close and returns false.
    bool take(std::string_view bytes);
    /// Moves the complete message to the inbox. Text that is not UTF-8 (RFC 6455 section 8.1) begins the close instead.
    void deliver();
    message next_message();
    void keep_reason();
    void read_ended(const boost::system::error_code& why);
    /// True if the inbox is at its limit and the socket is open.
    bool inbox_full() const { return inbox.is_full() && closing.is_open(); }

    /// Registers with the pulse, which calls beat(), if there is one and pings are enabled. Returns false if the caller must call
    /// beat() itself, starting at first_beat().
    bool looked_after();
    steady_time first_beat() const { return heart.first_beat(time.steady_now()); }
    /// Requests a ping, or checks the peer's activity since. Cuts a dead or too slow peer off and returns nothing.
    std::optional<steady_time> beat() override;

    beast::websocket::stream<websocket_bytes, false> socket;
    const websocket_options options;
    timers& time;
    read_room room;

    websocket_closing closing;
    websocket_outbox outbox;
    websocket_inbox inbox;
    websocket_heartbeat heart;
    bool reading_paused = false;    // the inbox is full: a pong would not be seen

    notifier to_write;    // a message was queued, or a ping or close is due
    notifier written;     // the queue became shorter
    notifier arrived;     // the inbox grew, or shrank while it was full: no waiter waits for both

private:
    void wake_all();

    std::optional<pulse_place> place_;
};

}    // namespace caisson::net

#pragma once

#include "adapters/net/read_room.hpp"
#include "adapters/net/websocket_bytes.hpp"
#include "adapters/net/websocket_stream.hpp"
#include "core/async/notifier.hpp"

#include <boost/beast/websocket/stream.hpp>

#include <list>
#include <optional>

namespace caisson::net {

namespace beast = boost::beast;

enum class side { server, client };

struct outgoing {
    static constexpr std::size_t overhead_bytes = 64;    // the memory cost of a queued message besides its bytes

    message_kind kind;
    std::string prefix;
    shared_bytes payload;
    std::size_t cost() const { return prefix.size() + payload.size() + overhead_bytes; }
};

/// A WebSocket's stream and queues, shared by the websocket object and its two background tasks.
struct websocket_link final : beating {
    websocket_link(stream socket, side of, websocket_options the_options, const websocket_host& host);
    ~websocket_link() override;
    websocket_link(const websocket_link&) = delete;
    websocket_link& operator=(const websocket_link&) = delete;

    enum class state { open, closing, closed };

    /// Cuts the connection and wakes all waiters.
    void finish();
    /// Makes the writer send a close frame after the queue.
    void begin_close(std::uint16_t code, std::string reason);
    bool push(outgoing one);
    /// Drops the queue except the message being sent.
    void drop_unsent();
    /// Appends received bytes to the current message. If the shared budget is exceeded, begins the close and returns false.
    bool take(std::string_view bytes);
    /// Moves the complete message to the inbox. Text that is not UTF-8 (RFC 6455 section 8.1) begins the close instead.
    void deliver();
    message next_message();
    void keep_reason();
    void read_ended(const boost::system::error_code& why);
    /// True if the inbox is at its limit and the socket is open.
    bool inbox_full() const { return inbox.size() >= options.max_inbox_messages && now == state::open; }

    /// Registers with the pulse, which calls beat(), if there is one and pings are enabled. Returns false if the caller must call
    /// beat() itself, starting at first_beat().
    bool looked_after();
    steady_time first_beat() const { return time.steady_now() + options.ping_interval; }
    /// Requests a ping, or checks the peer's activity since. Cuts a dead or too slow peer off and returns nothing.
    std::optional<steady_time> beat() override;

    beast::websocket::stream<websocket_bytes, false> socket;
    const websocket_options options;
    timers& time;
    read_room room;

    state now = state::open;
    std::uint16_t close_with = close_code::normal;    // this side's code, while closing
    std::string close_reason;
    std::uint16_t peer_code = close_code::abnormal;
    std::string peer_reason;

    std::list<outgoing> queue;    // the front is being sent; an empty list allocates no memory
    std::size_t queued_bytes = 0;
    std::list<message> inbox;

    bool ping_wanted = false;
    bool ping_sent = false;         // and not checked for an answer yet
    bool heard = false;             // activity since the last ping
    bool reading_paused = false;    // the inbox is full: a pong would not be seen
    std::optional<steady_time> writing_since;

    notifier to_write;    // a message was queued, or a ping or close is due
    notifier written;     // the queue became shorter
    notifier arrived;     // the inbox grew, or shrank while it was full: no waiter waits for both

private:
    /// True if an incomplete message makes too little progress. Call once in each ping interval.
    bool dribbles();
    bool stalled() const;
    /// Updates the budget with the bytes held now. Returns false if the budget is exceeded.
    bool count_held();

    std::optional<pulse_place> place_;
    const std::shared_ptr<message_budget> budget_;    // null: none
    std::string message_;                             // the received part of the current message
    std::size_t inbox_bytes_ = 0;
    std::size_t held_ = 0;    // bytes counted in the budget
    std::uint64_t messages_ = 0;
    std::uint64_t message_seen_ = UINT64_MAX;    // the incomplete message that dribbles() saw last
    std::size_t bytes_seen_ = 0;
};

/// Beast's teardown after a close handshake: the server shuts down sending; both sides wait for the peer's end.
template <class Handler>
struct teardown_operation {
    static constexpr std::size_t room_bytes = 4096;

    websocket_bytes* on;
    beast::role_type role;
    std::unique_ptr<char[]> room = std::make_unique<char[]>(room_bytes);
    bool begun = false;

    template <class Self>
    void operator()(Self& self, boost::system::error_code failed = {}, std::size_t = 0)
    {
        if (!begun && role == beast::role_type::server)
            on->shutdown_send();
        begun = true;
        if (!failed) {
            auto* const from = on;
            const auto into = asio::buffer(room.get(), room_bytes);
            return from->async_read_some(into, std::move(self));
        }
        on->close();
        const boost::system::error_code good;
        self.complete(failed == asio::error::eof || failed == asio::error::connection_reset ? good : failed);
    }
};

/// Beast's hook for closing an unusable connection.
inline void beast_close_socket(websocket_bytes& on) { on.close(); }

template <class Handler>
void async_teardown(beast::role_type role, websocket_bytes& on, Handler&& handler)
{
    asio::async_compose<Handler, void(boost::system::error_code)>(teardown_operation<Handler>{&on, role}, handler, on);
}

}    // namespace caisson::net

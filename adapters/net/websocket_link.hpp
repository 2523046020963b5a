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
    static constexpr std::size_t overhead_bytes = 64;    // what a queued message costs besides its own bytes

    message_kind kind;
    std::string prefix;
    shared_bytes payload;
    std::size_t cost() const { return prefix.size() + payload.size() + overhead_bytes; }
};

/// A WebSocket's stream and the queues around it; held by the websocket object and by its two background tasks.
struct websocket_link final : beating {
    websocket_link(stream socket, side of, websocket_options the_options, const websocket_host& host);
    ~websocket_link() override;
    websocket_link(const websocket_link&) = delete;
    websocket_link& operator=(const websocket_link&) = delete;

    enum class state { open, closing, closed };

    /// Cuts the connection and wakes all who wait.
    void finish();
    /// The writer sends a close frame after what is queued.
    void begin_close(std::uint16_t code, std::string reason);
    bool push(outgoing one);
    /// Forgets what is queued, but for the message that is being sent.
    void drop_unsent();
    /// Some bytes of a message came. False if they are too many for all WebSockets together: then the close has begun.
    bool take(std::string_view bytes);
    /// The message that was taken is whole. A text that is not UTF-8 (RFC 6455 section 8.1) begins the close instead.
    void deliver();
    message next_message();
    void keep_reason();
    void read_ended(const boost::system::error_code& why);
    /// Whether the inbox holds as many messages as it may while nobody closes.
    bool inbox_full() const { return inbox.size() >= options.max_inbox_messages && now == state::open; }

    /// Begins to ping the peer, if it is to be: whoever looks after it calls beat(). False if it has to do so itself, from first_beat() on.
    bool looked_after();
    steady_time first_beat() const { return time.steady_now() + options.ping_interval; }
    /// Has a ping sent, or looks whether the peer lives and cuts the connection if not: then nothing is due any more.
    std::optional<steady_time> beat() override;

    beast::websocket::stream<websocket_bytes, false> socket;
    const websocket_options options;
    timers& time;
    read_room room;

    state now = state::open;
    std::uint16_t close_with = close_code::normal;    // ours, while closing
    std::string close_reason;
    std::uint16_t peer_code = close_code::abnormal;
    std::string peer_reason;

    std::list<outgoing> queue;    // the front is being sent; an empty list has no memory of its own
    std::size_t queued_bytes = 0;
    std::list<message> inbox;

    bool ping_wanted = false;
    bool ping_sent = false;         // and its answer is not looked for yet
    bool heard = false;             // a sign of life since the last ping
    bool reading_paused = false;    // the inbox is full: a pong would not be seen
    std::optional<steady_time> writing_since;

    notifier to_write;    // something was queued, or a ping or close is due
    notifier written;     // the queue became shorter
    notifier arrived;     // the inbox became longer, or, if it was full, shorter: nobody waits for both

private:
    /// True if a message has begun and hardly gets on; to be asked once in each ping interval.
    bool dribbles();
    bool stalled() const;
    /// Counts what is held now against the budget. False if that is exceeded.
    bool count_held();

    std::optional<pulse_place> place_;
    const std::shared_ptr<message_budget> budget_;    // null: none
    std::string message_;                             // its part that has come
    std::size_t inbox_bytes_ = 0;
    std::size_t held_ = 0;    // of the budget
    std::uint64_t messages_ = 0;
    std::uint64_t message_seen_ = UINT64_MAX;    // by dribbles(), when it was not whole
    std::size_t bytes_seen_ = 0;
};

/// What Beast does at the end of a close handshake: this side says that no more comes, and waits for the peer's end.
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

/// What Beast calls for a connection that is not to be used any more.
inline void beast_close_socket(websocket_bytes& on) { on.close(); }

template <class Handler>
void async_teardown(beast::role_type role, websocket_bytes& on, Handler&& handler)
{
    asio::async_compose<Handler, void(boost::system::error_code)>(teardown_operation<Handler>{&on, role}, handler, on);
}

}    // namespace caisson::net

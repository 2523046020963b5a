#pragma once

#include "adapters/net/exchange.hpp"
#include "adapters/net/input_buffer.hpp"
#include "adapters/net/server_state.hpp"
#include "adapters/net/stream.hpp"

#include <list>
#include <optional>
#include <string>
#include <string_view>

namespace caisson::net {

/// What a connection is waiting for, and what happens when its deadline passes.
enum class phase {
    handshake,    // TLS: cut
    idle,         // the first byte of a request: closed silently
    reading,      // the rest of a request: the read ends and timed_out() is true
    handling,     // a handler: no time limit here
    writing,      // the client to take bytes: cut
    lingering,    // the client to close: cut
};

/// A server-side connection with its input buffer and its deadline. The server's sweeper checks the deadlines, so a request
/// costs no timer.
class connection final : public connection_context {
public:
    connection(std::shared_ptr<server_state> state, tcp_socket socket, const tcp::endpoint& peer);
    ~connection() override;
    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;

    /// Waits for the first byte without consuming it. Returns nothing if the connection ends first.
    task<std::optional<char>> first_byte();
    /// Starts TLS. If the handshake fails, closes the connection and returns false.
    task<bool> secure(std::shared_ptr<const tls_context> with);

    /// Reads available bytes into input(). Returns false at the end, on an error, or after the deadline.
    task<bool> read_more();
    /// Sends all parts together. If the client is gone or takes nothing for write_timeout, closes the connection and returns false.
    task<bool> write(std::string_view first, std::string_view second = {}, std::string_view third = {});
    /// Sends what the socket takes of both parts without blocking and returns the byte count. 0 under TLS, and on errors, which the
    /// next write() reports.
    std::size_t write_now(std::string_view first, std::string_view second);
    /// Returns when the peer closes or resets the connection. Input that arrives meanwhile is kept.
    task<wait_end> peer_gone();
    /// Shuts down sending and waits up to linger_timeout for the client to close, so that it can read the last response.
    task<> linger();

    /// Enters the phase `what`; its deadline is `limit` from now.
    void wait_for(phase what, std::chrono::milliseconds limit);
    void handling();
    void close();
    /// Resets the owner before the next request.
    void begin_request();
    /// See exchange::trust.
    result<void> mark_authenticated(std::string_view owner);
    /// The place of this request's owner; null before mark_authenticated().
    owner_place* place_of_owner() { return owner_ ? &*owner_ : nullptr; }
    /// Marks the connection as above the limit.
    void turn_away();
    /// Closes it to make room for others.
    void evict();
    steady_time opened() const { return opened_; }
    void close_if_idle();
    /// Applies the phase's timeout if the deadline has passed.
    void sweep(steady_time now);

    input_buffer& input() { return input_; }
    const std::string& peer() const { return peer_; }
    server_state& server() { return *state_; }
    bool timed_out() const { return timed_out_; }
    bool broken() const { return broken_; }
    /// True once the peer has shut down its side or the connection is broken.
    bool left() const { return ended_ || broken_; }
    /// Moves the stream out for another protocol; drops the input. The connection still counts as open.
    stream take_stream();

    std::size_t share_bytes() const override;
    bool draining() const override { return state_->draining; }
    task<> drain_begun() const override { return state_->drain.wait_past(0); }

private:
    struct write_progress;
    using places = std::list<connection*>;

    standing standing_in(phase what) const;
    void stand(standing where);

    std::shared_ptr<server_state> state_;
    stream stream_;
    const std::string peer_;
    const std::string address_;    // the key for max_connections_per_address; empty without that limit
    const steady_time opened_;
    input_buffer input_;
    phase phase_ = phase::idle;
    steady_time deadline_ = steady_time::max();
    bool timed_out_ = false;
    bool ended_ = false;     // the peer sends no more
    bool broken_ = false;    // nothing can be sent any more
    std::optional<owner_place> owner_;
    bool served_ = false;    // it has received a whole request
    standing standing_ = standing::newcomer;
    places::iterator place_;
};

}    // namespace caisson::net

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

/// What a connection is waiting for; decides what happens when its time is over.
enum class phase {
    handshake,    // TLS: cut
    idle,         // the first byte of a request: closed silently
    reading,      // the rest of a request: the read ends and timed_out() is true
    handling,     // a handler: no time limit here
    writing,      // the client to take bytes: cut
    lingering,    // the client to close: cut
};

/// A socket of the server with its unused input and its deadline. The server's sweeper looks at the deadlines, so that a
/// request costs no timer.
class connection final : public surroundings {
public:
    connection(std::shared_ptr<server_state> state, tcp_socket socket, const tcp::endpoint& peer);
    ~connection() override;
    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;

    /// Waits for the first byte without taking it. Nothing if none comes.
    task<std::optional<char>> first_byte();
    /// TLS from here on. False, and the connection is closed, if the client and this side do not come together.
    task<bool> secure(std::shared_ptr<const tls_context> with);

    /// Reads what is there into input(). False at the end, on an error, or when the time is over.
    task<bool> read_more();
    /// Sends the parts at once. False, and the connection is closed, when the client is gone or takes nothing for write_timeout.
    task<bool> write(std::string_view first, std::string_view second = {}, std::string_view third = {});
    /// Sends what the socket takes of both without waiting, and says how many bytes. 0 under TLS, and where write() will tell what is
    /// wrong.
    std::size_t write_now(std::string_view first, std::string_view second);
    /// Until the peer closes or resets. Input that comes meanwhile is kept.
    task<wait_end> peer_gone();
    /// Says that no more comes and waits, bounded, for the client to close, so that it can read the last answer.
    task<> linger();

    /// The deadline counts from now.
    void wait_for(phase what, std::chrono::milliseconds limit);
    void handling();
    void close();
    /// Another request begins, of which nothing is known yet.
    void begin_request();
    /// See exchange::trust.
    result<void> trust(std::string_view owner);
    /// Of this request's owner; null before trust().
    owner_place* place_of_owner() { return owner_ ? &*owner_ : nullptr; }
    /// It is one too many, and only here to be told so.
    void turn_away();
    /// Closes it to make room for others.
    void evict();
    steady_time opened() const { return opened_; }
    void close_if_idle();
    /// Ends what waits too long.
    void sweep(steady_time now);

    input_buffer& input() { return input_; }
    const std::string& peer() const { return peer_; }
    server_state& server() { return *state_; }
    bool timed_out() const { return timed_out_; }
    bool broken() const { return broken_; }
    /// Whether the peer was seen to have ended its side, or to be gone.
    bool left() const { return ended_ || broken_; }
    /// For what is not HTTP any more. The connection goes on to count as open, and keeps no input.
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
    const std::string address_;    // what max_connections_per_address counts; empty if it does not
    const steady_time opened_;
    input_buffer input_;
    phase phase_ = phase::idle;
    steady_time deadline_ = steady_time::max();
    bool timed_out_ = false;
    bool ended_ = false;     // the peer sends no more
    bool broken_ = false;    // nothing can be sent any more
    std::optional<owner_place> owner_;
    bool served_ = false;    // it has had a whole request
    standing standing_ = standing::newcomer;
    places::iterator place_;
};

}    // namespace caisson::net

#pragma once

#include "adapters/net/websocket.hpp"
#include "core/base/clock.hpp"

#include <list>
#include <optional>
#include <string>

namespace caisson::net {

struct outgoing {
    static constexpr std::size_t overhead_bytes = 64;    // the memory cost of a queued message besides its bytes

    message_kind kind;
    std::string prefix;
    shared_bytes payload;
    std::size_t cost() const { return prefix.size() + payload.size() + overhead_bytes; }
};

/// A WebSocket's queue of messages to send, with a bound of its bytes. No I/O: the writer sends the front.
class websocket_outbox {
public:
    explicit websocket_outbox(std::size_t max_bytes) : max_bytes_(max_bytes) { }

    /// Appends a message. False if the queue is above its bound now: the connection must be cut.
    bool push(outgoing one);
    bool empty() const { return queue_.empty(); }
    /// The queued messages' cost().
    std::size_t bytes() const { return bytes_; }

    /// Returns the first message, which is being sent from `now` on. Valid until finish_front(); the queue must not be empty.
    const outgoing& begin_front(steady_time now);
    /// The first message was sent, or cannot be.
    void finish_front();
    /// When the current begin_front() was called; nothing if no message is being sent.
    std::optional<steady_time> sending_since() const { return sending_since_; }
    /// Drops all messages except the one being sent.
    void drop_unsent();

private:
    const std::size_t max_bytes_;
    std::list<outgoing> queue_;    // an empty list allocates no memory
    std::size_t bytes_ = 0;
    std::optional<steady_time> sending_since_;
};

}    // namespace caisson::net

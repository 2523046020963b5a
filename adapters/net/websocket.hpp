#pragma once

#include "core/async/task.hpp"
#include "core/base/shared_bytes.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace caisson::net {

struct websocket_options {
    std::size_t max_message_bytes = 1 << 20;            // incoming, all fragments together; beyond: close 1009
    std::size_t max_inbox_messages = 64;                // received but not taken; beyond: reading pauses
    std::size_t max_queued_bytes = 32 << 20;            // see websocket::queued_bytes; beyond: the connection is cut
    std::chrono::milliseconds ping_interval{20'000};    // 0: never
    std::chrono::milliseconds pong_timeout{20'000};     // after a ping without any activity: the connection is cut
    std::chrono::milliseconds write_timeout{60'000};    // for one message that the peer does not take: the connection is cut
    std::chrono::milliseconds close_timeout{5'000};     // for the close handshake, once all messages are sent
    std::string subprotocol = {};                       // the server's choice; not sent if empty
};

/// Close codes of RFC 6455 section 7.4 that this project sends.
namespace close_code {
inline constexpr std::uint16_t normal = 1000;
inline constexpr std::uint16_t going_away = 1001;
inline constexpr std::uint16_t protocol_error = 1002;
inline constexpr std::uint16_t unsupported_data = 1003;
inline constexpr std::uint16_t no_status = 1005;    // never sent: the peer's close had no code
inline constexpr std::uint16_t abnormal = 1006;     // never sent: the connection ended without a close
inline constexpr std::uint16_t not_utf8 = 1007;
inline constexpr std::uint16_t policy = 1008;
inline constexpr std::uint16_t too_big = 1009;
inline constexpr std::uint16_t internal_error = 1011;
inline constexpr std::uint16_t try_again_later = 1013;
}    // namespace close_code

enum class message_kind { text, binary };

struct message {
    message_kind kind = message_kind::text;
    std::string data;    // valid UTF-8 if text
};

/// One end of an open WebSocket. It reads and pings in the background, even when receive() is not running. I/O thread only.
/// Destroying it drops the queue and cuts the connection: call close() first for a clean end.
class websocket {
public:
    virtual ~websocket() = default;

    /// Returns the next message; nothing once the socket is not open and all earlier messages were taken. One call at a time;
    /// cancellation loses no message.
    virtual task<std::optional<message>> receive() = 0;

    /// Queues a message; messages are sent in order. Returns false if the socket is not open. Senders of much data should await
    /// drained() in between: a queue above max_queued_bytes cuts the connection (and returns false).
    virtual bool send_text(std::string text) = 0;
    /// Queues one binary message of `prefix` followed by `payload`, without copying them.
    virtual bool send_binary(std::string prefix, shared_bytes payload) = 0;

    /// Bytes of messages not yet handed to the kernel, plus 64 for each message.
    virtual std::size_t queued_bytes() const = 0;
    /// Returns when queued_bytes() is at most `below` or the socket is not open. Safe to cancel.
    virtual task<> drained(std::size_t below) = 0;

    /// Sends the queue, then the close frame (the reason is cut to 123 bytes of UTF-8), and waits up to close_timeout for the peer's
    /// close frame. Drops messages that arrive meanwhile. close_code::policy drops the queue and cuts a peer that takes nothing
    /// for close_timeout. Does nothing if already closed.
    virtual task<> close(std::uint16_t code, std::string reason) = 0;

    /// False after the first close frame of either side, an error or close().
    virtual bool open() const = 0;

    /// The peer's close code, valid once receive() returned nothing: close_code::abnormal if the peer sent no close frame.
    virtual std::uint16_t peer_close_code() const = 0;
    virtual const std::string& peer_close_reason() const = 0;
};

}    // namespace caisson::net

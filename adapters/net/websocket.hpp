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
    std::size_t max_message_bytes = 1 << 20;            // incoming, fragments together; beyond: close 1009
    std::size_t max_inbox_messages = 64;                // received and not taken yet; then reading pauses
    std::size_t max_queued_bytes = 32 << 20;            // see websocket::queued_bytes; beyond: the connection is cut
    std::chrono::milliseconds ping_interval{20'000};    // 0: never
    std::chrono::milliseconds pong_timeout{20'000};     // after a ping, without any sign of life: the connection is cut
    std::chrono::milliseconds write_timeout{60'000};    // for one message that the peer does not take: the connection is cut
    std::chrono::milliseconds close_timeout{5'000};     // for the close handshake, once all messages are sent
    std::string subprotocol = {};                       // what a server picked; not sent if empty
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

/// One end of an open WebSocket. It reads and pings by itself, also while nobody receives. I/O thread only. Destroying it
/// drops what is queued and cuts the connection: close() first for a clean end.
class websocket {
public:
    virtual ~websocket() = default;

    /// The next message; nothing once the peer closed or the connection broke and all before was taken. One call at a
    /// time; cancelling it loses no message.
    virtual task<std::optional<message>> receive() = 0;

    /// Queues a message; one writer sends them in order. False, and nothing is queued, when the socket is not open. A sender
    /// of much data waits for drained() in between: a queue beyond max_queued_bytes cuts the connection.
    virtual bool send_text(std::string text) = 0;
    /// One binary message of `prefix` followed by `payload`, neither copied again.
    virtual bool send_binary(std::string prefix, shared_bytes payload) = 0;

    /// Bytes of messages not yet handed to the kernel, plus 64 for each message.
    virtual std::size_t queued_bytes() const = 0;
    /// Returns when queued_bytes() is at most `below` or the socket is not open. Safe to cancel.
    virtual task<> drained(std::size_t below) = 0;

    /// Sends what is queued, then the close frame (reason: at most 123 bytes of UTF-8, longer is cut), and waits for the peer's
    /// at most close_timeout. Messages that come meanwhile are dropped. With close_code::policy what is queued is dropped, and a peer that
    /// takes nothing is cut off after close_timeout. Does nothing if already closed.
    virtual task<> close(std::uint16_t code, std::string reason) = 0;

    /// False from the first close frame (either side's), error or close() on.
    virtual bool open() const = 0;

    /// The peer's close code once receive() gave nothing: close_code::abnormal if it sent none at all.
    virtual std::uint16_t peer_close_code() const = 0;
    virtual const std::string& peer_close_reason() const = 0;
};

}    // namespace caisson::net

#pragma once

#include "adapters/net/websocket.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace caisson::net {

/// The end of a WebSocket: how far it is closed, and the codes and reasons of both sides (RFC 6455 section 7). No I/O.
class websocket_closing {
public:
    enum class state { open, closing, closed };

    state now() const { return now_; }
    bool is_open() const { return now_ == state::open; }
    bool is_closed() const { return now_ == state::closed; }

    /// This side closes: its close frame is to have `code` and `reason`, which is cut to 123 bytes of UTF-8.
    void begin(std::uint16_t code, std::string reason);
    /// The connection has ended.
    void finish() { now_ = state::closed; }
    /// This side's, while closing.
    std::uint16_t code() const { return code_; }
    const std::string& reason() const { return reason_; }

    /// The peer's close frame was received; its `code` is 0 if it had none.
    void heard(std::uint16_t code, std::string reason);
    /// close_code::abnormal before heard().
    std::uint16_t peer_code() const { return peer_code_; }
    const std::string& peer_reason() const { return peer_reason_; }

private:
    state now_ = state::open;
    std::uint16_t code_ = close_code::normal;
    std::string reason_;
    std::uint16_t peer_code_ = close_code::abnormal;
    std::string peer_reason_;
};

}    // namespace caisson::net

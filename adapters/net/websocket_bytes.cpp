#include "adapters/net/websocket_bytes.hpp"

#include "adapters/net/websocket.hpp"

#include <cstdint>

namespace caisson::net {

namespace {

constexpr char final_close = '\x88';
constexpr std::size_t code_bytes = 2;

std::string close_reason_of(std::uint16_t code, std::size_t max_message_bytes)
{
    switch (code) {
    case close_code::protocol_error: return "the frame breaks the WebSocket protocol (RFC 6455)";
    case close_code::not_utf8: return "a text message must be UTF-8";
    case close_code::too_big: return "a message may have at most " + std::to_string(max_message_bytes) + " bytes";
    default: return {};
    }
}

}    // namespace

std::string with_close_reason(std::string_view frame, std::size_t max_message_bytes)
{
    if (frame.size() != bare_close_bytes || frame[0] != final_close || frame[1] != static_cast<char>(code_bytes))
        return {};
    const auto code = static_cast<std::uint16_t>(static_cast<unsigned char>(frame[2]) << 8 | static_cast<unsigned char>(frame[3]));
    const auto reason = close_reason_of(code, max_message_bytes);
    if (reason.empty())
        return {};
    std::string out(frame);
    out[1] = static_cast<char>(code_bytes + reason.size());
    return out + reason;
}

}    // namespace caisson::net

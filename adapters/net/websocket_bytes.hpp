#pragma once

#include "adapters/net/stream.hpp"

#include <boost/asio/write.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace caisson::net {

inline constexpr std::size_t bare_close_bytes = 4;    // an unmasked close frame with a code only

/// Adds a reason to `frame`, a server's close frame with a code only (RFC 6455 section 5.5.1). Empty for other bytes and for
/// codes that do not report a fault in the peer's messages.
std::string with_close_reason(std::string_view frame, std::size_t max_message_bytes);

/// The stream below a WebSocket. On a protocol violation Beast sends a close frame with a code only: on the server's side this
/// class adds the reason.
class websocket_bytes : public stream {
public:
    websocket_bytes(stream from, bool is_server, std::size_t max_message_bytes)
        : stream(std::move(from)), adds_reasons_(is_server), max_message_bytes_(max_message_bytes)
    {
    }

    /// While set, bytes pass unchanged: a message's bytes may look like a close frame.
    void sends_message(bool now) { sends_message_ = now; }

    void adds_no_reasons() { adds_reasons_ = false; }

    template <class Buffers, class Token>
    auto async_write_some(const Buffers& buffers, Token&& token)
    {
        const auto begin = [this](auto&& handler, const auto& from) {
            frame_ = adds_reasons_ && !sends_message_ ? with_close_reason(bare_close(from), max_message_bytes_) : "";
            if (frame_.empty())
                return stream::async_write_some(from, std::forward<decltype(handler)>(handler));
            asio::async_compose<std::decay_t<decltype(handler)>, void(boost::system::error_code, std::size_t)>(
                closing{this}, handler, socket());
        };
        return asio::async_initiate<Token, void(boost::system::error_code, std::size_t)>(begin, token, buffers);
    }

private:
    /// Sends the longer frame and reports the size of the original one.
    struct closing {
        websocket_bytes* on;
        bool begun = false;

        template <class Self>
        void operator()(Self& self, boost::system::error_code failed = {}, std::size_t = 0)
        {
            if (begun)
                return self.complete(failed, failed ? 0 : bare_close_bytes);
            begun = true;
            asio::async_write(static_cast<stream&>(*on), asio::buffer(on->frame_), std::move(self));
        }
    };

    template <class Buffers>
    std::string_view bare_close(const Buffers& buffers)
    {
        if (asio::buffer_size(buffers) != bare_close_bytes)
            return {};
        asio::buffer_copy(asio::buffer(bare_), buffers);
        return {bare_.data(), bare_.size()};
    }

    bool adds_reasons_;
    const std::size_t max_message_bytes_;
    bool sends_message_ = false;
    std::array<char, bare_close_bytes> bare_{};
    std::string frame_;    // being sent
};

}    // namespace caisson::net

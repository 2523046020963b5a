#pragma once

#include "core/base/error.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace caisson::docker {

/// The stream of a frame on an attached connection. `engine` carries an error message of the engine itself.
enum class stdio_stream : std::uint8_t { in = 0, out = 1, err = 2, engine = 3 };

/// Decodes the frames on the attached connection of a container without a terminal: a head of eight bytes (the stream's number,
/// three zeros, the payload's length, big-endian) and the payload.
class stdio_decoder {
public:
    static constexpr std::size_t most_frame_bytes = 16 << 20;

    /// Bytes of one frame's payload.
    struct piece {
        stdio_stream stream;
        std::string_view bytes;    // not empty; a part of next()'s argument
    };

    /// Returns at most `most` payload bytes and removes the consumed bytes from `bytes`. Returns nothing when all bytes are consumed: call
    /// again with the next ones. Errors: errc::runtime_unavailable for a malformed frame; then do not use the decoder again.
    result<std::optional<piece>> next(std::string_view& bytes, std::size_t most = most_frame_bytes);

    /// True if no frame is incomplete: the input may end here.
    bool between_frames() const { return head_bytes_ == 0 && left_ == 0; }

private:
    result<void> begin_frame();

    std::array<unsigned char, 8> head_{};
    std::size_t head_bytes_ = 0;    // received bytes of the head
    std::size_t left_ = 0;          // missing bytes of the payload
    stdio_stream stream_ = stdio_stream::out;
};

}    // namespace caisson::docker

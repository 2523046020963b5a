#pragma once

#include "core/base/error.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace caisson::docker {

/// Which of a container's streams a frame of an attached connection is of. The last one is what the engine itself says of a failure.
enum class stdio_stream : std::uint8_t { in = 0, out = 1, err = 2, engine = 3 };

/// Takes apart what an engine sends on the attached connection of a container without a terminal: frames, each of eight bytes (the
/// stream's number, three zeros, the payload's length, big-endian) and the payload.
class stdio_decoder {
public:
    static constexpr std::size_t most_frame_bytes = 16 << 20;

    /// Bytes of one frame's payload.
    struct piece {
        stdio_stream stream;
        std::string_view bytes;    // not empty; a part of what was given to next()
    };

    /// The next payload, at most `most` bytes of it. What was looked at is cut off the front of `bytes`; nothing when that was all: call
    /// again with what comes then. Errors, and then it is of no more use: errc::runtime_unavailable for what is no such frame.
    result<std::optional<piece>> next(std::string_view& bytes, std::size_t most = most_frame_bytes);

    /// Nothing of a frame is missing: an end here is a clean one.
    bool between_frames() const { return head_bytes_ == 0 && left_ == 0; }

private:
    result<void> begin_frame();

    std::array<unsigned char, 8> head_{};
    std::size_t head_bytes_ = 0;    // of the head that came so far
    std::size_t left_ = 0;          // of the payload
    stdio_stream stream_ = stdio_stream::out;
};

}    // namespace caisson::docker

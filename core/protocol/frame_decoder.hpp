#pragma once

#include "core/protocol/frame.hpp"

#include <memory>
#include <optional>
#include <span>

namespace caisson::protocol {

enum class decode_status {
    need_more,    // more input is needed
    frame,        // `out` is one whole frame
    opened,       // a marker: a new connection begins with HELLO
    broken,       // a malformed frame; input up to the next marker is dropped
};

/// Splits a byte stream into frames. Its memory is bounded by `read_bytes` and one frame.
class frame_decoder {
public:
    /// Where to look for markers. `anywhere` is for streams that outlive their peers: a peer may die in the middle of a frame, and the
    /// next peer's marker follows at once.
    enum class markers { at_start, anywhere };

    frame_decoder(std::size_t read_bytes, markers where) : read_bytes_(read_bytes), where_(where) { }

    /// Space for the next read, never empty. Invalidates frames from next().
    std::span<char> prepare();
    /// The first `count` bytes of that space were read.
    void commit(std::size_t count) { end_ += count; }
    /// `out` is set on decode_status::frame and valid until prepare().
    decode_status next(frame_view& out);
    /// Drops input up to the next marker.
    void resync();

private:
    void find_marker();
    decode_status open();
    decode_status broken();
    void reserve(std::size_t bytes);

    std::size_t read_bytes_;
    markers where_;
    std::unique_ptr<char[]> buffer_;
    std::size_t capacity_ = 0;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::size_t searched_ = 0;    // no marker begins before this offset
    std::optional<std::size_t> marker_at_;
    std::size_t wanted_ = 0;    // size of the incomplete frame at begin_; 0: unknown
    bool synchronised_ = false;
};

}    // namespace caisson::protocol

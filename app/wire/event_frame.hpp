#pragma once

#include "core/base/error.hpp"
#include "core/base/ids.hpp"
#include "core/log/events.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace caisson::wire {

/// Whose event a frame shows. What it points to outlives the call.
struct frame_source {
    std::string_view execution_id;
    bool pty = false;                            // its one stream is called "pty"
    std::string_view ref = {};                   // of a /v1/connect client; empty: none
    std::optional<std::uint32_t> ref_no = {};    // with binary frames: 0 on …/stream
};

/// An event as JSON: a WebSocket text frame, the data of an SSE event, or a JSON line (without its line feed).
std::string event_frame_json(const log_event& event, const frame_source& source);

/// The same appended to `out`.
void append_event_frame(std::string& out, const log_event& event, const frame_source& source);

inline constexpr std::size_t binary_header_bytes = 13;
/// What stands before the bytes of an output event in a binary frame: stream (1 stdout, 2 stderr, 3 pty), ref number, offset; big
/// endian.
std::array<std::uint8_t, binary_header_bytes> binary_header(const log_event& event, bool pty, std::uint32_t ref_no);

/// A frame about the connection: {"kind":"error", …}. Never stored, has no seq.
std::string error_frame_json(const error& what, std::string_view ref = {}, std::string_view execution_id = {});

/// One SSE event: the cursor as its id, the JSON as its data.
std::string sse_event(const log_event& event, const frame_source& source);

}    // namespace caisson::wire

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

/// The execution that an event belongs to. The views must outlive the call.
struct frame_source {
    std::string_view execution_id;
    bool pty = false;                            // the output stream is named "pty"
    std::string_view ref = {};                   // of a /v1/connect client; empty: none
    std::optional<std::uint32_t> ref_no = {};    // set with binary frames; 0 on …/stream
};

/// An event as JSON: a WebSocket text frame, the data of an SSE event, or a JSON line (without its line feed).
std::string event_frame_json(const log_event& event, const frame_source& source);

/// Appends event_frame_json() to `out`.
void append_event_frame(std::string& out, const log_event& event, const frame_source& source);

inline constexpr std::size_t binary_header_bytes = 13;
/// The header of a binary frame with output: stream (1 stdout, 2 stderr, 3 pty), ref number, offset; big endian. The output follows.
std::array<std::uint8_t, binary_header_bytes> binary_header(const log_event& event, bool pty, std::uint32_t ref_no);

/// A frame about the connection: {"kind":"error", …}. It is never stored and has no seq.
std::string error_frame_json(const error& what, std::string_view ref = {}, std::string_view execution_id = {});

/// One SSE event: the cursor as its id, the JSON as its data.
std::string sse_event(const log_event& event, const frame_source& source);

}    // namespace caisson::wire

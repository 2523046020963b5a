#pragma once

#include "core/base/ids.hpp"
#include "core/base/shared_bytes.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace caisson {

enum class event_kind : std::uint8_t { state = 1, output = 2, truncated = 3, usage = 4, exit = 5 };

/// A pseudo terminal has one stream, stored as stdout_stream and shown as "pty".
enum class output_stream : std::uint8_t { stdout_stream = 1, stderr_stream = 2 };

/// A position in an execution's log: the number of control events and of bytes of each stream before it. Independent of how the
/// bytes are split into events.
struct log_position {
    std::uint64_t control = 0;
    std::uint64_t stdout_end = 0;
    std::uint64_t stderr_end = 0;

    std::uint64_t seq() const { return control + stdout_end + stderr_end; }
    std::uint64_t end_of(output_stream stream) const { return stream == output_stream::stdout_stream ? stdout_end : stderr_end; }
    std::uint64_t& end_of(output_stream stream) { return stream == output_stream::stdout_stream ? stdout_end : stderr_end; }
    bool operator==(const log_position&) const = default;
};

/// The opaque cursor: base64url of "1.<control>.<stdout end>.<stderr end>".
std::string to_cursor(log_position position);
/// Nothing if `cursor` is malformed. "0" and the empty text mean the beginning.
std::optional<log_position> from_cursor(std::string_view cursor);

/// One entry of the log.
struct log_event {
    event_kind kind = event_kind::output;
    log_position end;                                       // the position after this event
    std::int64_t at_ms = 0;                                 // Unix time
    output_stream stream = output_stream::stdout_stream;    // output and truncated
    std::uint64_t offset = 0;                               // output and truncated: start offset in the stream
    std::uint64_t missing_bytes = 0;                        // truncated
    shared_bytes data;                                      // output
    std::string body;                                       // other kinds: a JSON object with the kind's own fields

    /// Estimated bytes in the store.
    std::uint64_t stored_bytes() const { return data.size() + body.size() + stored_overhead; }
    static constexpr std::uint64_t stored_overhead = 64;    // of the row and its index

    /// True if a viewer at `seen` has seen the whole event.
    bool covered_by(const log_position& seen) const
    {
        return kind == event_kind::output ? end.end_of(stream) <= seen.end_of(stream) : end.control <= seen.control;
    }
};

}    // namespace caisson

#pragma once

#include "core/base/error.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace caisson::cli {

/// What the terminal does for one server frame.
struct frame_effects {
    struct chunk {
        std::string stream;    // "stdout", "stderr" or "pty"
        std::string bytes;
    };
    std::vector<chunk> output;
    std::string note;        // for users, on stderr; empty: none
    bool started = false;    // the status became running
    bool waits = false;      // the status became queued, first or for another attempt
};

/// Reads the frames of one execution over successive connections. Returns each byte of output once and in order: bytes that a new
/// connection repeats are dropped by their offset. No I/O.
class frame_reader {
public:
    /// Pass only frames of this execution. Errors: errc::bad_request if `text` is not a frame.
    result<frame_effects> take(std::string_view text);

    /// The cursor for a new connection; "0" at first.
    const std::string& cursor() const { return cursor_; }

    /// The exit event, once received; nothing follows it.
    const std::optional<boost::json::object>& end() const { return end_; }

    /// The message if the last `text` was an error frame, which is about the connection only; else empty.
    const std::string& connection_error() const { return connection_error_; }

private:
    result<frame_effects> take_output(const boost::json::object& frame);
    frame_effects take_cut(const boost::json::object& frame);

    std::map<std::string, std::uint64_t> ends_;    // by stream: the offset after the last byte returned
    std::string cursor_ = "0";
    std::optional<boost::json::object> end_;
    std::string connection_error_;
};

}    // namespace caisson::cli

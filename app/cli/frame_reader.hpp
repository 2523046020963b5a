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

/// What one server frame asks of the terminal.
struct frame_effects {
    struct chunk {
        std::string stream;    // "stdout", "stderr" or "pty"
        std::string bytes;
    };
    std::vector<chunk> output;
    std::string note;        // for people, on stderr; empty: none
    bool started = false;    // the status became running
    bool waits = false;      // the status became queued, at first or for another attempt
};

/// Reads the frames of one execution, from any number of connections one after the other, and gives each byte of output
/// once and in order: what a new connection repeats is cut by its offset. No I/O.
class frame_reader {
public:
    /// Frames of other executions are not to be passed. Errors: errc::bad_request if `text` is not a frame.
    result<frame_effects> take(std::string_view text);

    /// Where a new connection has to resume; "0" at first.
    const std::string& cursor() const { return cursor_; }

    /// The exit event, once it came; nothing follows it.
    const std::optional<boost::json::object>& end() const { return end_; }

    /// The last error frame's message since `take` was called last; such a frame is about the connection only.
    const std::string& connection_error() const { return connection_error_; }

private:
    result<frame_effects> take_output(const boost::json::object& frame);
    frame_effects take_cut(const boost::json::object& frame);

    std::map<std::string, std::uint64_t> ends_;    // by stream: the offset after the last byte given
    std::string cursor_ = "0";
    std::optional<boost::json::object> end_;
    std::string connection_error_;
};

}    // namespace caisson::cli

#pragma once

#include "core/log/events.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace caisson::wire {

/// Merges stdout and stderr into one readable text. Holds back an incomplete line, so that output of the other stream does not split
/// it. Releases the line incomplete after 50 ms of log time, once the other stream has output, or when it exceeds 8 KiB.
class merged_lines {
public:
    static constexpr std::int64_t longest_wait_ms = 50;
    static constexpr std::size_t most_waiting_bytes = 8 << 10;    // limit of one line

    /// Receives the merged text in order. The view is valid during the call.
    using sink = std::function<void(std::string_view)>;

    /// Adds the next event of the log. Ignores events that are not output.
    void add(const log_event& event, const sink& to);
    /// Releases all incomplete lines. Call at a gap and at the end.
    void flush(const sink& to);

private:
    struct line {
        std::string text;
        std::int64_t since_ms = 0;
    };
    static void release(line& line, const sink& to);

    std::array<line, 2> waiting_;    // incomplete lines: stdout or terminal, stderr; empty: none
};

}    // namespace caisson::wire

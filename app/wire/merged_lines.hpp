#pragma once

#include "core/log/events.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace caisson::wire {

/// Merges what a program wrote to both streams into one text that people read: a line of one stream stays together where the program wrote
/// it in pieces and the other stream's output came in between. Such a line waits for its end for at most 50 ms, by the times of the log,
/// and 8 KiB; then it goes on as it came.
class merged_lines {
public:
    static constexpr std::int64_t longest_wait_ms = 50;
    static constexpr std::size_t most_waiting_bytes = 8 << 10;    // of one line

    /// Takes what is ready now, in the text's order. The view lasts for the call.
    using sink = std::function<void(std::string_view)>;

    /// The next event of the log, in its order. Other kinds than output are passed over.
    void add(const log_event& event, const sink& to);
    /// All that waits: at a gap, and at the end.
    void flush(const sink& to);

private:
    struct line {
        std::string text;
        std::int64_t since_ms = 0;
    };
    static void release(line& one, const sink& to);

    std::array<line, 2> waiting_;    // of stdout or the terminal, and of stderr; empty: none
};

}    // namespace caisson::wire

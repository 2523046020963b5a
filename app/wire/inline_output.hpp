#pragma once

#include "app/wire/merged_lines.hpp"
#include "core/log/events.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace caisson::wire {

/// Output as text of at most inline_output::max_bytes. Longer output is cut to its head and its tail, with a line between them that says
/// how many bytes are missing. Invalid UTF-8 is replaced by U+FFFD.
struct inline_text {
    std::string text;
    bool truncated = false;
    bool lossy = false;
};

struct inline_texts {
    inline_text stdout_text;    // or the output of the terminal
    inline_text stderr_text;
    inline_text logs;    // both streams, merged by lines
};

/// Keeps the first and the last of the appended bytes, in bounded memory.
class head_and_tail {
public:
    explicit head_and_tail(std::size_t max_bytes) : max_bytes_(max_bytes) { }

    void append(std::string_view bytes);
    /// Records a gap of `missing` bytes at this place.
    void gap(std::uint64_t missing);
    inline_text finish() const;

private:
    std::size_t half() const { return max_bytes_ / 2; }
    inline_text joined(std::size_t head_bytes, std::size_t tail_bytes) const;

    std::size_t max_bytes_;
    std::string head_;
    std::string tail_;
    std::uint64_t missing_ = 0;    // between head and tail
    bool head_closed_ = false;
};

/// Builds the texts of an execution from the events of its log, in order. Holds at most about 6 MiB.
class inline_output {
public:
    static constexpr std::size_t max_bytes = 1 << 20;

    explicit inline_output(std::size_t limit = max_bytes) : stdout_(limit), stderr_(limit), logs_(limit) { }

    void add(const log_event& event);
    /// Call once, at the end.
    inline_texts finish();

private:
    merged_lines lines_;
    head_and_tail stdout_;
    head_and_tail stderr_;
    head_and_tail logs_;
};

}    // namespace caisson::wire

#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace caisson::cli {

/// A progress line on standard error, rewritten in place and removed at the end. Only on a terminal that can rewrite lines (TERM is not
/// "dumb"); never wider than it.
class progress_line {
public:
    /// With `quiet` nothing is shown.
    explicit progress_line(bool quiet = false);
    ~progress_line() { clear(); }
    progress_line(const progress_line&) = delete;
    progress_line& operator=(const progress_line&) = delete;

    bool enabled() const { return enabled_; }

    void show(const std::string& text);
    /// Shows "`what` 1.5 MiB of 3 MiB"; without the total if it is 0. Not in the first half second, and at most ten times a second.
    void show_bytes(const std::string& what, std::uint64_t done_bytes, std::uint64_t total_bytes);
    void clear();

private:
    using clock = std::chrono::steady_clock;
    bool enabled_;
    bool shown_ = false;
    clock::time_point next_;
};

/// `head` and `tail` on one line of `columns` columns; `head` is cut at its end if needed.
std::string fitted(const std::string& head, const std::string& tail, std::size_t columns);

}    // namespace caisson::cli

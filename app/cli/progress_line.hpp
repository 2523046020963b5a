#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace caisson::cli {

/// One line on standard error that says how far something is, is rewritten in place and vanishes at the end. Only on a terminal that
/// can do so (TERM is not "dumb"), never wider than it.
class progress_line {
public:
    /// With `quiet` nothing is ever shown.
    explicit progress_line(bool quiet = false);
    ~progress_line() { clear(); }
    progress_line(const progress_line&) = delete;
    progress_line& operator=(const progress_line&) = delete;

    bool enabled() const { return enabled_; }

    void show(const std::string& text);
    /// "`what` 1.5 MiB of 3 MiB"; without a total ("0") only what is done. Not within the first half second, and not more often than
    /// ten times a second.
    void show_bytes(const std::string& what, std::uint64_t done_bytes, std::uint64_t total_bytes);
    void clear();

private:
    using clock = std::chrono::steady_clock;
    bool enabled_;
    bool shown_ = false;
    clock::time_point next_;
};

/// `head` and `tail` on one line of `columns` columns; what does not fit is cut from the end of `head`.
std::string fitted(const std::string& head, const std::string& tail, std::size_t columns);

}    // namespace caisson::cli

#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace caisson::cli {

/// One line on standard error that says how far something is and vanishes at the end; only on a terminal, and not for what is done
/// within half a second.
class progress_line {
public:
    progress_line();
    ~progress_line() { clear(); }
    progress_line(const progress_line&) = delete;
    progress_line& operator=(const progress_line&) = delete;

    /// "`what` 1.5 MiB of 3 MiB"; without a total ("0") only what is done.
    void show(const std::string& what, std::uint64_t done_bytes, std::uint64_t total_bytes);
    void clear();

private:
    using clock = std::chrono::steady_clock;
    bool enabled_;
    bool shown_ = false;
    clock::time_point next_;
};

}    // namespace caisson::cli

#pragma once

#include <cstddef>

namespace caisson {

/// One more as long as it lives. What it counts in outlives it.
class count_guard {
public:
    explicit count_guard(std::size_t& count) : count_(count) { ++count_; }
    ~count_guard() { --count_; }
    count_guard(const count_guard&) = delete;
    count_guard& operator=(const count_guard&) = delete;

private:
    std::size_t& count_;
};

}    // namespace caisson

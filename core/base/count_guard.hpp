#pragma once

#include <cstddef>

namespace caisson {

/// Raises `count` by `amount` while it lives. `count` must outlive it.
template <class Number = std::size_t>
class count_guard {
public:
    explicit count_guard(Number& count, Number amount = 1) : count_(count), amount_(amount) { count_ += amount_; }
    ~count_guard() { count_ -= amount_; }
    count_guard(const count_guard&) = delete;
    count_guard& operator=(const count_guard&) = delete;

private:
    Number& count_;
    const Number amount_;
};

}    // namespace caisson

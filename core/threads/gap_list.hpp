#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace caisson {

/// A gap buffer: a change moves as many elements as lie between its place and the place of the last change.
template <class T>
class gap_list {
public:
    std::size_t size() const { return front_.size() + back_.size(); }
    T& operator[](std::size_t at) { return at < front_.size() ? front_[at] : back_[size() - 1 - at]; }
    const T& operator[](std::size_t at) const { return at < front_.size() ? front_[at] : back_[size() - 1 - at]; }
    /// How many elements a change at `at` moves.
    std::size_t distance(std::size_t at) const { return at < front_.size() ? front_.size() - at : at - front_.size(); }

    void push_back(T value)
    {
        go(size());
        front_.push_back(std::move(value));
    }
    void insert(std::size_t at, T value)
    {
        go(at);
        front_.push_back(std::move(value));
    }
    T take(std::size_t at)
    {
        go(at);
        auto value = std::move(back_.back());
        back_.pop_back();
        return value;
    }

private:
    void go(std::size_t at)
    {
        while (front_.size() > at) {
            back_.push_back(std::move(front_.back()));
            front_.pop_back();
        }
        while (front_.size() < at) {
            front_.push_back(std::move(back_.back()));
            back_.pop_back();
        }
    }

    std::vector<T> front_;
    std::vector<T> back_;    // in reverse order
};

}    // namespace caisson

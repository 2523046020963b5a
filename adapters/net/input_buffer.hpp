#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

namespace caisson::net {

/// A contiguous buffer of bytes read from a connection and not consumed yet. It starts small, since most connections are idle,
/// and grows up to `max_bytes` as reads fill it.
class input_buffer {
public:
    explicit input_buffer(std::size_t max_bytes) : max_(max_bytes) { }

    std::string_view view() const { return {data_.get() + begin_, end_ - begin_}; }
    bool empty() const { return begin_ == end_; }
    bool full() const { return end_ - begin_ == max_; }

    void consume(std::size_t count)
    {
        begin_ += count;
        if (begin_ == end_)
            begin_ = end_ = 0;
    }
    /// The space for the next read; not empty unless full().
    std::span<char> prepare()
    {
        if (end_ == capacity_)
            make_room();
        return {data_.get() + end_, capacity_ - end_};
    }
    void commit(std::size_t count) { end_ += count; }
    /// Frees the memory above the initial size if the buffer is empty.
    void shrink()
    {
        if (empty() && capacity_ > small_bytes)
            drop();
    }
    /// Frees all memory and drops the contents.
    void drop()
    {
        data_.reset();
        capacity_ = begin_ = end_ = 0;
    }
    std::size_t capacity() const { return capacity_; }

private:
    static constexpr std::size_t small_bytes = 4096;

    void make_room()
    {
        if (begin_ > 0 && (begin_ >= capacity_ / 2 || capacity_ == max_)) {
            std::memmove(data_.get(), data_.get() + begin_, end_ - begin_);
        } else if (capacity_ < max_) {
            const auto bigger = std::min(max_, std::max(small_bytes, capacity_ * 4));
            auto next = std::make_unique_for_overwrite<char[]>(bigger);
            if (end_ > begin_)
                std::memcpy(next.get(), data_.get() + begin_, end_ - begin_);
            data_ = std::move(next);
            capacity_ = bigger;
        }
        end_ -= begin_;
        begin_ = 0;
    }

    std::size_t max_;
    std::unique_ptr<char[]> data_;
    std::size_t capacity_ = 0;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

}    // namespace caisson::net

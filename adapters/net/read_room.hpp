#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace caisson::net {

/// A WebSocket's read buffer: small while idle, large while a longer message arrives.
class read_room {
public:
    /// Both sizes are above 0; `busy_bytes` is at least `idle_bytes`.
    read_room(std::size_t idle_bytes, std::size_t busy_bytes) : idle_(idle_bytes), busy_(busy_bytes) { make(idle_); }

    std::span<char> bytes() const { return {place_.get(), size_}; }

    /// Call within a message. Invalidates the bytes read before.
    void widen() { make(busy_); }
    /// Call at the end of a message. Invalidates the bytes read before.
    void narrow() { make(idle_); }

private:
    void make(std::size_t bytes)
    {
        if (bytes == size_)
            return;
        place_.reset();
        place_ = std::make_unique_for_overwrite<char[]>(bytes);
        size_ = bytes;
    }

    std::size_t idle_;
    std::size_t busy_;
    std::unique_ptr<char[]> place_;
    std::size_t size_ = 0;
};

}    // namespace caisson::net

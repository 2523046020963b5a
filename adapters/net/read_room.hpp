#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace caisson::net {

/// Where a WebSocket's bytes are read into: a small place while it is idle, a large one while a message comes that is longer.
class read_room {
public:
    /// Both more than 0; `busy_bytes` at least `idle_bytes`.
    read_room(std::size_t idle_bytes, std::size_t busy_bytes) : idle_(idle_bytes), busy_(busy_bytes) { make(idle_); }

    std::span<char> bytes() const { return {place_.get(), size_}; }

    /// A message goes on. What was read before is lost.
    void widen() { make(busy_); }
    /// A message is at its end. What was read before is lost.
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

#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace caisson::protocol {

/// A bounded FIFO buffer of bytes. Maps its memory with the first byte; the kernel supplies pages as they are used.
class byte_ring {
public:
    explicit byte_ring(std::size_t capacity) : capacity_(capacity) { }
    ~byte_ring() { release(); }
    byte_ring(const byte_ring&) = delete;
    byte_ring& operator=(const byte_ring&) = delete;

    std::size_t size() const { return size_; }
    std::size_t free() const { return capacity_ - size_; }

    /// Contiguous free space at the back; empty if the ring is full or out of memory.
    std::span<char> room();
    /// Adds the first `count` bytes of room(), which were written.
    void push(std::size_t count);
    /// Copies as many bytes as fit; returns their number.
    std::size_t append(std::string_view bytes);
    /// Contiguous bytes, starting `skip` bytes after the front.
    std::string_view peek(std::size_t skip, std::size_t max) const;
    void pop(std::size_t count);
    void clear() { pop(size_); }
    /// Unmaps the memory if the ring is empty and used more than 64 KiB of it. Call when idle.
    void rest();

private:
    void release();

    std::size_t capacity_;
    char* memory_ = nullptr;
    std::size_t front_ = 0;
    std::size_t size_ = 0;
    std::size_t highest_ = 0;    // end of the memory written since it was mapped
};

}    // namespace caisson::protocol

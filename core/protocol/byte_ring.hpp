#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace caisson::protocol {

/// A first-in first-out buffer of bounded size. Its memory comes from the kernel when the first byte is put in, page by page
/// as it is used.
class byte_ring {
public:
    explicit byte_ring(std::size_t capacity) : capacity_(capacity) { }
    ~byte_ring() { release(); }
    byte_ring(const byte_ring&) = delete;
    byte_ring& operator=(const byte_ring&) = delete;

    std::size_t size() const { return size_; }
    std::size_t free() const { return capacity_ - size_; }

    /// Contiguous room at the back; empty when the ring is full or the kernel has no memory.
    std::span<char> room();
    /// The first `count` bytes of room() were written.
    void push(std::size_t count);
    /// Copies what fits; returns how much that was.
    std::size_t append(std::string_view bytes);
    /// Contiguous bytes, `skip` bytes behind the front.
    std::string_view peek(std::size_t skip, std::size_t max) const;
    void pop(std::size_t count);
    void clear() { pop(size_); }
    /// Nothing comes for a while: the memory goes back if it is empty and held much.
    void rest();

private:
    void release();

    std::size_t capacity_;
    char* memory_ = nullptr;
    std::size_t front_ = 0;
    std::size_t size_ = 0;
    std::size_t highest_ = 0;    // the end of the memory that was written since it was taken
};

}    // namespace caisson::protocol

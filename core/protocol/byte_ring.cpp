#include "core/protocol/byte_ring.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

namespace caisson::protocol {

namespace {

/// A ring that used no more than this keeps its memory, to avoid mapping and unmapping for small traffic.
constexpr std::size_t kept_bytes = 64 * 1024;

}    // namespace

std::span<char> byte_ring::room()
{
    if (size_ == capacity_)
        return {};
    if (!memory_) {
        void* got = ::mmap(nullptr, capacity_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (got == MAP_FAILED)
            return {};
        memory_ = static_cast<char*>(got);
    }
    const auto back = (front_ + size_) % capacity_;
    return {memory_ + back, std::min(capacity_ - back, capacity_ - size_)};
}

void byte_ring::push(std::size_t count)
{
    const auto back = (front_ + size_) % capacity_;
    size_ += count;
    highest_ = std::max(highest_, back + count);
}

std::size_t byte_ring::append(std::string_view bytes)
{
    std::size_t done = 0;
    while (done < bytes.size()) {
        const auto into = room();
        if (into.empty())
            break;
        const auto part = bytes.substr(done, into.size());
        std::memcpy(into.data(), part.data(), part.size());
        push(part.size());
        done += part.size();
    }
    return done;
}

std::string_view byte_ring::peek(std::size_t skip, std::size_t max) const
{
    if (skip >= size_)
        return {};
    const auto at = (front_ + skip) % capacity_;
    return {memory_ + at, std::min({max, size_ - skip, capacity_ - at})};
}

void byte_ring::pop(std::size_t count)
{
    size_ -= count;
    front_ = size_ > 0 ? (front_ + count) % capacity_ : 0;
}

void byte_ring::rest()
{
    if (size_ == 0 && highest_ > kept_bytes)
        release();
}

void byte_ring::release()
{
    if (memory_)
        ::munmap(memory_, capacity_);
    memory_ = nullptr;
    highest_ = 0;
}

}    // namespace caisson::protocol

#pragma once

#include <boost/json/memory_resource.hpp>

#include <cstddef>
#include <new>

namespace caisson {

/// Bounded memory for one JSON value; throws std::bad_alloc beyond it. A value takes two bytes as text but many times that when parsed.
class bounded_memory final : public boost::json::memory_resource {
public:
    explicit bounded_memory(std::size_t most_bytes) : left_(most_bytes) { }

private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override
    {
        if (bytes > left_)
            throw std::bad_alloc();
        auto* made = ::operator new(bytes, std::align_val_t(alignment));
        left_ -= bytes;
        return made;
    }
    void do_deallocate(void* what, std::size_t bytes, std::size_t alignment) override
    {
        ::operator delete(what, bytes, std::align_val_t(alignment));
        left_ += bytes;
    }
    bool do_is_equal(const boost::json::memory_resource& other) const noexcept override { return this == &other; }

    std::size_t left_;
};

}    // namespace caisson

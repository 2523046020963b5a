#include "core/exec/collect/collect_room.hpp"

#include <algorithm>

namespace caisson {

namespace {

/// Of small files on one look at the disk's room.
constexpr std::uint64_t bytes_per_look = 1 << 20;

}    // namespace

bool collect_room::take(std::uint64_t bytes)
{
    if (!free_bytes_)
        return true;
    if (left_ <= bytes)
        left_ = std::min(look(), bytes + bytes_per_look);
    if (left_ <= bytes)
        return false;
    left_ -= bytes;
    return true;
}

/// The bytes of small files are written twice: to the log of the database, then to their place.
std::uint64_t collect_room::look() const
{
    const auto half = free_bytes_() / 2;
    return half - std::min(half, least_free_bytes / 2);
}

}    // namespace caisson

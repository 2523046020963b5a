#pragma once

#include <cstdint>
#include <functional>
#include <utility>

namespace caisson {

/// Room for a collection's files on the disk of the store. A disk that is nearly full gets none: everybody needs it. Files that are small
/// share a look at the disk.
class collect_room {
public:
    static constexpr std::uint64_t least_free_bytes = 64 << 20;

    /// `free_bytes`: of the disk. Empty: it is not looked at, and there is always room.
    explicit collect_room(std::function<std::uint64_t()> free_bytes) : free_bytes_(std::move(free_bytes)) { }

    /// Takes the room for a file of `bytes`; false if there is too little.
    bool take(std::uint64_t bytes);

private:
    std::uint64_t look() const;

    std::function<std::uint64_t()> free_bytes_;
    std::uint64_t left_ = 0;    // what the last look at the disk found, without the files since then
};

}    // namespace caisson

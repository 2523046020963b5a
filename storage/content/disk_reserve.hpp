#pragma once

#include <cstdint>
#include <filesystem>

namespace caisson::sqlite {

/// A file of no content that keeps some space of the disk back, so that things can be removed when it is full: a removal has
/// to be written too. From any thread.
class disk_reserve {
public:
    disk_reserve(std::filesystem::path file, std::uint64_t bytes) : file_(std::move(file)), bytes_(bytes) { }

    /// Makes the file unless it is there, would have no size, or the disk has less than twice its size free.
    void keep() const;
    /// Gives the space up.
    void release() const;

private:
    std::filesystem::path file_;
    std::uint64_t bytes_;
};

}    // namespace caisson::sqlite

#pragma once

#include "core/base/unique_fd.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace caisson::sqlite {

/// A file that is read as bytes. Failures throw storage_error with the file's name.
class file_bytes {
public:
    /// An absent file is an empty one.
    explicit file_bytes(const std::filesystem::path& file);

    std::uint64_t size() const { return size_; }
    bool exists() const { return static_cast<bool>(fd_); }
    /// As many bytes as there are from `offset` on, up to the size of `into`.
    std::size_t read(std::uint64_t offset, std::span<unsigned char> into) const;

private:
    std::filesystem::path file_;
    unique_fd fd_;
    std::uint64_t size_ = 0;
};

/// What SQLite writes with the most significant byte first.
inline std::uint32_t big_endian(const unsigned char* at)
{
    return std::uint32_t{at[0]} << 24 | std::uint32_t{at[1]} << 16 | std::uint32_t{at[2]} << 8 | at[3];
}

/// Makes the entries of a directory durable: which files it has, under which names. Throws storage_error.
void sync_directory(const std::filesystem::path& directory);

}    // namespace caisson::sqlite

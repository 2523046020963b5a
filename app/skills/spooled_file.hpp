#pragma once

#include "core/base/error.hpp"
#include "core/base/hasher.hpp"
#include "core/base/unique_fd.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace caisson {

/// An append-only temporary file with its SHA-256. All calls block: use a worker pool, one call at a time.
class spooled_file {
public:
    /// Creates `path` (0600), which must not exist. Throws std::system_error.
    explicit spooled_file(std::filesystem::path path);
    /// Removes the file.
    ~spooled_file();
    spooled_file(const spooled_file&) = delete;
    spooled_file& operator=(const spooled_file&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::int64_t size_bytes() const { return size_bytes_; }

    /// Errors: errc::runtime_unavailable if the disk is full. Throws std::system_error.
    result<void> append(std::string_view bytes);
    /// Reads from `offset` on; empty at the end. Throws std::system_error.
    std::string read(std::int64_t offset, std::size_t max_bytes) const;
    /// The SHA-256 of all appended bytes, lower-case hex. Call once.
    std::string digest();

private:
    std::filesystem::path path_;
    unique_fd fd_;
    std::unique_ptr<hasher> hash_;
    std::int64_t size_bytes_ = 0;
};

/// Errors: errc::runtime_unavailable if the disk is full or no file descriptor is left. Throws std::system_error.
result<std::shared_ptr<spooled_file>> make_spooled_file(std::filesystem::path path);

/// Replaces `directory` by an empty one (0700). Its parent must exist. Throws std::system_error.
void empty_directory(const std::filesystem::path& directory);

}    // namespace caisson

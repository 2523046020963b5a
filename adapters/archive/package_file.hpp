#pragma once

#include "core/base/error.hpp"
#include "core/base/unique_fd.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace caisson {

/// An archive on disk, read by offset.
class package_file {
public:
    /// Throws std::system_error if the file cannot be opened or is no regular file.
    explicit package_file(const std::filesystem::path& path);

    int fd() const { return fd_.get(); }
    std::int64_t size() const { return size_; }
    /// Reads `count` bytes, or fewer at the end of the file. Throws std::system_error.
    std::string read(std::int64_t offset, std::size_t count) const;

private:
    unique_fd fd_;
    std::int64_t size_ = 0;
};

/// Returns errc::invalid_skill with `sentence`, like all refusals of this folder.
error refused_archive(const std::string& sentence);
/// Likewise for a damaged zip: `what` is wrong.
error damaged_zip(const std::string& what);

}    // namespace caisson

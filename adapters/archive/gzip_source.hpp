#pragma once

#include "adapters/archive/package_file.hpp"
#include "core/skills/types.hpp"

#include <zlib.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace caisson {

/// Inflates the one gzip member that a file is, and counts on the way: what passes a limit is not inflated further.
class gzip_source {
public:
    gzip_source(const package_file& file, const package_limits& limits);
    ~gzip_source();
    gzip_source(const gzip_source&) = delete;
    gzip_source& operator=(const gzip_source&) = delete;

    /// The next bytes, at most 64 KiB, valid until the next call; empty at the end. Errors: errc::invalid_skill: wrong data or checksum,
    /// cut off, bytes or another member behind the first, too many bytes, too high a ratio. They come again at the next call.
    result<std::string_view> next();

    /// Bytes given so far, and where the last of them that is not 0 ended.
    std::int64_t inflated_bytes() const { return inflated_; }
    std::int64_t end_of_content() const { return end_of_content_; }
    const std::optional<error>& failure() const { return failure_; }

private:
    result<std::string_view> inflate_some();
    result<void> check_limits() const;
    result<void> check_end() const;
    void note(std::string_view bytes);

    const package_file& file_;
    package_limits limits_;
    z_stream stream_{};
    std::string input_;
    std::string output_;
    std::int64_t read_ = 0;
    std::int64_t inflated_ = 0;
    std::int64_t end_of_content_ = 0;
    bool ended_ = false;
    std::optional<error> failure_;
};

}    // namespace caisson

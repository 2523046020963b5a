#pragma once

#include "adapters/archive/package_file.hpp"
#include "core/skills/types.hpp"

#include <zlib.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace caisson {

/// Inflates a file that is one gzip member. Counts bytes meanwhile and stops inflating at a limit.
class gzip_source {
public:
    gzip_source(const package_file& file, const package_limits& limits);
    ~gzip_source();
    gzip_source(const gzip_source&) = delete;
    gzip_source& operator=(const gzip_source&) = delete;

    /// The next bytes, at most 64 KiB, valid until the next call; empty at the end. Errors, repeated by later calls: errc::invalid_skill
    /// for wrong data or checksum, truncation, bytes or another member after the first, too many bytes, or too high a ratio.
    result<std::string_view> next();

    /// Bytes returned so far, and the offset behind the last nonzero one.
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

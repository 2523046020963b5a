#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace caisson {

/// Reads at most `limit_bytes` of a small file; nothing if it cannot be read. For /proc, /sys and own records.
std::optional<std::string> read_small_file(const std::string& path, std::size_t limit_bytes = 65'536);

/// Writes `text` into an existing file with one write(2), as kernel files require. Returns 0 or errno.
int write_small_file(const std::string& path, std::string_view text);

/// Likewise, with `path` relative to an open directory.
std::optional<std::string> read_small_file_at(int directory, const char* path, std::size_t limit_bytes = 65'536);
int write_small_file_at(int directory, const char* path, std::string_view text);

}    // namespace caisson

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace caisson {

/// The text of a small file, at most `limit_bytes` of it; nothing if it cannot be read. For /proc, /sys and own records.
std::optional<std::string> read_small_file(const std::string& path, std::size_t limit_bytes = 65'536);

/// Writes `text` into a file that exists, in one write(2), as kernel files want it. Returns 0 or errno.
int write_small_file(const std::string& path, std::string_view text);

/// The same of a path from an open directory.
std::optional<std::string> read_small_file_at(int directory, const char* path, std::size_t limit_bytes = 65'536);
int write_small_file_at(int directory, const char* path, std::string_view text);

}    // namespace caisson

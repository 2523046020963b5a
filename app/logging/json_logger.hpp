#pragma once

#include "core/base/log.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

namespace caisson {

/// Bounds of one line, in bytes; what is longer is cut and says so.
inline constexpr std::size_t max_log_message_bytes = 1'024;
inline constexpr std::size_t max_log_value_bytes = 4'096;
inline constexpr std::size_t max_log_fields = 32;

/// One log line without its line feed: {"ts":…,"level":…,"msg":…, then the fields in order}. A field that has the name of
/// one of these three gets a "field_" before it. Always valid UTF-8.
std::string to_log_line(std::int64_t now_ms, log_level level, std::string_view message, std::initializer_list<log_field> fields);

/// Writes JSON lines of `minimum` and above to `into`, which stays open as long as the logger lives and is not closed by
/// it. Each line is flushed. Thread-safe.
std::unique_ptr<logger> make_json_logger(log_level minimum, std::FILE* into);

/// The same, appended to the file at `path`, made (0640) if it is not there. Throws std::runtime_error that names the path.
std::unique_ptr<logger> make_json_logger(log_level minimum, const std::filesystem::path& path);

}    // namespace caisson

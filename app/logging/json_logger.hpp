#pragma once

#include "core/base/log.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

namespace caisson {

/// Limits of one line. Longer texts are cut, with a note; further fields are dropped.
inline constexpr std::size_t max_log_message_bytes = 1'024;
inline constexpr std::size_t max_log_value_bytes = 4'096;
inline constexpr std::size_t max_log_fields = 32;

/// One log line without a line feed: {"ts":…,"level":…,"msg":…, then the fields in order}. A field with one of these three names gets the
/// prefix "field_". Always valid UTF-8.
std::string to_log_line(std::int64_t now_ms, log_level level, std::string_view message, std::initializer_list<log_field> fields);

/// Writes JSON lines of level `minimum` and above to `into`, which must stay open while the logger lives and is not closed.
/// Flushes each line. Thread-safe.
std::unique_ptr<logger> make_json_logger(log_level minimum, std::FILE* into);

/// As above, appending to the file at `path`, which is created (0640) if necessary. Throws std::runtime_error that names the path.
std::unique_ptr<logger> make_json_logger(log_level minimum, const std::filesystem::path& path);

}    // namespace caisson

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace caisson::cli {

/// Milliseconds of "250ms", "30s", "5m", "2h", "30d" or a plain number of seconds, also "1.5s". Empty if malformed, not positive, or more
/// than 10 years.
std::optional<std::int64_t> parse_duration_ms(std::string_view text);

/// Bytes of "1048576", "512Mi", "1Gi", "64Ki" (also "MiB" and so on). Empty if malformed, not positive, or more than 1 PiB.
std::optional<std::int64_t> parse_bytes(std::string_view text);

/// A positive decimal such as "0.5", at most 1024; empty otherwise.
std::optional<double> parse_cpus(std::string_view text);

/// "350 ms", "1.2 s", "3 min 5 s", "2 h 3 min", "4 d 1 h".
std::string show_duration(std::int64_t ms);

/// "17 B", "1.5 KiB", "512 MiB".
std::string show_bytes(std::int64_t bytes);

}    // namespace caisson::cli

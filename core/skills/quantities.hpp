#pragma once

#include "core/base/error.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace caisson {

// Errors of the parsers: errc::bad_request with a phrase or sentence that quotes the text.

/// A whole number of bytes, or one with Ki, Mi or Gi; greater than 0.
result<std::int64_t> parse_memory(std::string_view text);

/// The shortest way to write `bytes` that parse_memory() reads: "16Mi", "1000".
std::string memory_text(std::int64_t bytes);

/// A decimal number of processors ("0.5", "2"), greater than 0. Returns thousandths, at least 10.
result<std::int64_t> parse_cpu_milli(std::string_view text);

/// A duration in Go syntax: "90s", "1m30s", "1.5h", "100ms"; may be negative. The message is Go's:
/// `time: missing unit in duration "60"`.
result<std::chrono::nanoseconds> parse_duration(std::string_view text);

/// As Go's Duration.String(): "1m0s", "1.5s", "0s".
std::string duration_text(std::chrono::nanoseconds value);

}    // namespace caisson

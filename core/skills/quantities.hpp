#pragma once

#include "core/base/error.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace caisson {

/// Bytes, or a number with Ki, Mi or Gi; greater than 0. Errors of all here: errc::bad_request with what is wrong, without the text's
/// own name.
result<std::int64_t> parse_memory(std::string_view text);

/// The shortest way to write `bytes` that parse_memory() reads: "16Mi", "1000".
std::string memory_text(std::int64_t bytes);

/// A decimal number of processors ("0.5", "2"), greater than 0, in thousandths; less than 10 thousandths count as 10.
result<std::int64_t> parse_cpu_milli(std::string_view text);

/// A duration as Go writes it: "90s", "1m30s", "1.5h", "100ms"; may be negative. The error is Go's own:
/// `time: missing unit in duration "60"`.
result<std::chrono::nanoseconds> parse_duration(std::string_view text);

/// The same as Go's Duration.String(): "1m0s", "1.5s", "0s".
std::string duration_text(std::chrono::nanoseconds value);

}    // namespace caisson

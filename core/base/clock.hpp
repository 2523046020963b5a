#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace caisson {

using steady_time = std::chrono::steady_clock::time_point;

/// Time as a port, so that tests can set it. Call from any thread.
class clock {
public:
    virtual ~clock() = default;
    /// Unix time in milliseconds, UTC. May step back when the host's clock is set.
    virtual std::int64_t now_ms() const = 0;
    /// CLOCK_MONOTONIC, for deadlines and durations.
    virtual steady_time steady_now() const = 0;
};

class system_clock : public clock {
public:
    std::int64_t now_ms() const override;
    steady_time steady_now() const override { return std::chrono::steady_clock::now(); }
};

/// Formats Unix milliseconds as RFC 3339 in UTC: "2026-01-31T12:00:00.000Z".
std::string to_rfc3339(std::int64_t unix_ms);

/// Unix milliseconds of an RFC 3339 time with "Z" or an offset; nothing if `text` is malformed.
std::optional<std::int64_t> from_rfc3339(std::string_view text);

}    // namespace caisson

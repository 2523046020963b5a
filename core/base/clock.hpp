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
    /// CLOCK_MONOTONIC; what deadlines and durations are made of.
    virtual steady_time steady_now() const = 0;
};

class system_clock : public clock {
public:
    std::int64_t now_ms() const override;
    steady_time steady_now() const override { return std::chrono::steady_clock::now(); }
};

/// RFC 3339 in UTC with milliseconds, "2026-01-31T12:00:00.000Z", of Unix milliseconds.
std::string to_rfc3339(std::int64_t unix_ms);

/// Unix milliseconds of an RFC 3339 time with "Z" or an offset; nothing if it is not one.
std::optional<std::int64_t> from_rfc3339(std::string_view text);

}    // namespace caisson

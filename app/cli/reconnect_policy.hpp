#pragma once

#include "core/base/clock.hpp"
#include "core/base/error.hpp"

#include <chrono>
#include <optional>

namespace caisson::cli {

/// True for errors after which the same request may succeed a little later.
bool may_pass(errc code);

/// Delays before reconnecting: 100 ms, doubling to 2 s. It gives up when nothing worked for `patience`, which covers a restart of a server.
/// No I/O.
class reconnect_policy {
public:
    explicit reconnect_policy(std::chrono::milliseconds patience = std::chrono::seconds(60)) : patience_(patience) { }

    /// Call when a frame was received.
    void worked();
    /// Call when the connection broke after `lasted`, or could not be made (zero). Returns the delay; empty: give up.
    std::optional<std::chrono::milliseconds> broke(steady_time now, std::chrono::nanoseconds lasted = {});

private:
    std::chrono::milliseconds patience_;
    std::chrono::milliseconds next_{100};
    std::optional<steady_time> since_;    // start of the trouble
};

}    // namespace caisson::cli

#pragma once

#include "core/base/clock.hpp"
#include "core/base/error.hpp"

#include <chrono>
#include <optional>

namespace caisson::cli {

/// True for failures after which the same request may well succeed a little later.
bool may_pass(errc code);

/// How long to wait before a broken connection is made again: from 100 ms doubling to 2 s, until nothing worked for the
/// patience's length, which is what a restart of a server may take. No I/O.
class reconnect_policy {
public:
    explicit reconnect_policy(std::chrono::milliseconds patience = std::chrono::seconds(60)) : patience_(patience) { }

    /// The connection works: a frame came.
    void worked();
    /// It broke after `lasted`, or could not be made (zero). Nothing when it is time to give up.
    std::optional<std::chrono::milliseconds> broke(steady_time now, std::chrono::nanoseconds lasted = {});

private:
    std::chrono::milliseconds patience_;
    std::chrono::milliseconds next_{100};
    std::optional<steady_time> since_;    // of the trouble
};

}    // namespace caisson::cli

#pragma once

#include "core/base/clock.hpp"

#include <chrono>
#include <cstdint>

namespace caisson {

inline std::int64_t rounded_ms(std::int64_t us) { return (us + 500) / 1000; }

inline double ms_between(steady_time from, steady_time to) { return std::chrono::duration<double, std::milli>(to - from).count(); }

}    // namespace caisson

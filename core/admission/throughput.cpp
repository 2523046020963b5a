#include "core/admission/throughput.hpp"

#include <algorithm>
#include <cmath>

namespace caisson {

namespace {

using seconds = std::chrono::duration<double>;

/// An end of this age has weight 1/e.
constexpr double memory_s = 30;
/// Minimum span of a rate: one end right after the start must not count as thousands per second.
constexpr double shortest_span_s = 1;

double faded(double weighted, steady_time from, steady_time to) { return weighted * std::exp(-seconds(to - from).count() / memory_s); }

}    // namespace

void throughput::count(steady_time now)
{
    weighted_ = first_ ? faded(weighted_, last_, now) + 1 : 1;
    if (!first_)
        first_ = now;
    last_ = now;
}

std::optional<double> throughput::per_second(steady_time now) const
{
    if (!first_)
        return std::nullopt;
    const auto span = std::max(seconds(now - *first_).count(), shortest_span_s);
    const auto counted_s = memory_s * (1 - std::exp(-span / memory_s));    // total weight of the span, in seconds
    return faded(weighted_, last_, now) / counted_s;
}

std::chrono::seconds retry_after(std::size_t turns, std::optional<double> per_second)
{
    if (!per_second)
        return shortest_retry;
    const auto wanted = static_cast<double>(std::max<std::size_t>(turns, 1)) / std::max(*per_second, 1e-6);
    const auto bounded =
        std::clamp(std::ceil(wanted), static_cast<double>(shortest_retry.count()), static_cast<double>(longest_retry.count()));
    return std::chrono::seconds(static_cast<std::int64_t>(bounded));
}

}    // namespace caisson

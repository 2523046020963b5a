#include "core/retry/backoff.hpp"

#include "core/base/random.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace caisson {

using std::chrono::milliseconds;

backoff backoff_of(const retry_policy& policy)
{
    return {milliseconds(policy.first_delay_ms), policy.multiplier, milliseconds(policy.max_delay_ms)};
}

milliseconds full_delay(int retry, const backoff& how)
{
    const auto longest = static_cast<double>(std::max<milliseconds::rep>(how.longest.count(), 0));
    const auto first = static_cast<double>(std::max<milliseconds::rep>(how.first.count(), 0));
    const auto factor = std::pow(std::max(how.multiplier, 1.0), std::max(retry, 1) - 1);    // may be infinite
    const auto wanted = first > 0 ? first * factor : 0;
    return milliseconds(static_cast<milliseconds::rep>(std::min(wanted, longest)));
}

milliseconds delay_before(int retry, const backoff& how, double draw)
{
    const auto full = static_cast<double>(full_delay(retry, how).count());
    return milliseconds(static_cast<milliseconds::rep>(std::llround(full * std::clamp(draw, 0.0, 1.0))));
}

double draw_jitter()
{
    std::array<std::uint8_t, 4> bytes{};
    random_fill(bytes);
    std::uint32_t number = 0;
    for (const auto byte : bytes)
        number = number << 8 | byte;
    return std::ldexp(static_cast<double>(number), -32);
}

}    // namespace caisson

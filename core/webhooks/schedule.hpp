#pragma once

#include "core/retry/backoff.hpp"
#include "core/webhooks/ports.hpp"

namespace caisson {

/// When a delivery is tried again. With these defaults the last of twelve attempts comes 14 hours after the first on average, 28 at most.
struct webhook_schedule {
    int attempts = 12;    // with the first
    backoff delays{std::chrono::seconds(15), 3, std::chrono::hours(6)};
};

/// What becomes of a delivery by another attempt's answer. 2xx is success; 410 and what may not be sent end it. `draw` is the jitter,
/// 0 to 1.
webhook_status after_attempt(
    webhook_status before, const webhook_answer& answer, const webhook_schedule& how, std::int64_t now_ms, double draw);

}    // namespace caisson

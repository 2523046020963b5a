#pragma once

#include "core/retry/backoff.hpp"
#include "core/webhooks/ports.hpp"

namespace caisson {

/// The retry schedule of a delivery. By default the last of twelve attempts comes about 14 hours after the first, at most 29.
struct webhook_schedule {
    int attempts = 12;    // including the first
    backoff delays{std::chrono::seconds(15), 3, std::chrono::hours(6)};
};

/// The status of a delivery after another attempt. 2xx means delivered; 410, a refused answer or the last attempt means failed. `draw` is
/// the jitter, 0 to 1.
webhook_status after_attempt(
    webhook_status before, const webhook_answer& answer, const webhook_schedule& how, std::int64_t now_ms, double draw);

}    // namespace caisson

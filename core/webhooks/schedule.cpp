#include "core/webhooks/schedule.hpp"

namespace caisson {

namespace {

constexpr int gone = 410;

std::string sentence_of(const webhook_answer& answer)
{
    if (!answer.status)
        return answer.failure;
    const bool redirects = *answer.status / 100 == 3;
    return "the receiver answered " + std::to_string(*answer.status) + (redirects ? "; redirects are not followed" : "");
}

}    // namespace

webhook_status after_attempt(
    webhook_status before, const webhook_answer& answer, const webhook_schedule& how, std::int64_t now_ms, double draw)
{
    auto out = std::move(before);
    ++out.attempts;
    out.last_status = answer.status;
    out.last_error.clear();
    out.next_attempt_at_ms.reset();
    if (answer.status && *answer.status / 100 == 2) {
        out.state = webhook_state::delivered;
        return out;
    }
    out.last_error = sentence_of(answer);
    if (answer.refused || answer.status == gone || out.attempts >= how.attempts)
        out.state = webhook_state::failed;
    else
        out.next_attempt_at_ms = now_ms + delay_before(out.attempts, how.delays, draw).count();
    return out;
}

}    // namespace caisson

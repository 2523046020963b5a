#include "core/retry/decision.hpp"

#include <algorithm>

namespace caisson {

namespace {

bool names(const retry_policy& policy, attempt_fault fault) { return std::ranges::find(policy.faults, fault) != policy.faults.end(); }

bool names_exit(const retry_policy& policy, std::optional<int> code)
{
    return code && std::ranges::find(policy.exit_codes, *code) != policy.exit_codes.end();
}

/// Judges the loss of an agent whose program may have started.
retry_verdict judge_loss(const failed_attempt& what, const retry_policy& policy)
{
    if (!what.idempotent)
        return retry_verdict::may_have_run;
    if (!what.host_to_blame)
        return retry_verdict::agent_killed;
    const bool wanted = names(policy, attempt_fault::agent_lost) || policy.faults == retry_policy().faults;
    return wanted ? retry_verdict::repeat : retry_verdict::not_a_reason;
}

retry_verdict judge_reason(const failed_attempt& what, const retry_policy& policy)
{
    switch (what.fault) {
    case attempt_fault::runtime_unavailable:
    case attempt_fault::image_pull:
    case attempt_fault::agent_unreachable: return names(policy, what.fault) ? retry_verdict::repeat : retry_verdict::not_a_reason;
    case attempt_fault::agent_lost: return judge_loss(what, policy);
    case attempt_fault::program:
        return names(policy, what.fault) || names_exit(policy, what.exit_code) ? retry_verdict::repeat : retry_verdict::not_a_reason;
    case attempt_fault::limit: break;
    }
    return retry_verdict::not_a_reason;
}

}    // namespace

std::string_view to_string(retry_verdict value)
{
    switch (value) {
    case retry_verdict::repeat: return "it is tried again";
    case retry_verdict::not_a_reason: return "not a reason to try again";
    case retry_verdict::may_have_run: return "the program may have started, and is not declared idempotent";
    case retry_verdict::agent_killed: return "the program may have ended its agent";
    case retry_verdict::input_is_gone: return "what the program took from stdin cannot be given again";
    case retry_verdict::attempts_spent: return "the last attempt that was allowed";
    case retry_verdict::no_time_left: return "no time is left for another attempt";
    case retry_verdict::cancelled: return "it was cancelled";
    }
    return "";
}

retry_verdict judge(const failed_attempt& what, const retry_policy& policy)
{
    if (what.cancelled)
        return retry_verdict::cancelled;
    const auto reason = judge_reason(what, policy);
    if (reason != retry_verdict::repeat)
        return reason;
    if (what.stdin_spent)
        return retry_verdict::input_is_gone;
    return what.number < policy.attempts ? retry_verdict::repeat : retry_verdict::attempts_spent;
}

std::chrono::milliseconds retry_deadline::left() const
{
    const auto elapsed = std::chrono::floor<std::chrono::milliseconds>(std::max(elapsed_, std::chrono::nanoseconds(0)));
    return std::max(wall_ - elapsed, std::chrono::milliseconds(0));
}

}    // namespace caisson

#pragma once

#include "core/retry/types.hpp"

#include <chrono>
#include <optional>
#include <string_view>

namespace caisson {

/// The facts of a failed attempt.
struct failed_attempt {
    int number = 1;    // of the attempt, from 1
    attempt_fault fault = attempt_fault::limit;
    std::optional<int> exit_code;    // if the program exited
    bool idempotent = false;         // the request declares that running it twice does no harm
    bool host_to_blame = false;      // agent_lost: nothing in the sandbox can have ended the agent
    bool stdin_spent = false;        // the program consumed stdin that the server no longer holds
    bool cancelled = false;
};

/// Whether to retry, or why not.
enum class retry_verdict {
    repeat,
    not_a_reason,      // the policy does not list the fault
    may_have_run,      // the program may have started, and must not run twice
    agent_killed,      // probably from inside the sandbox
    input_is_gone,     // stdin cannot be replayed
    attempts_spent,    // it was the last attempt that the policy allows
    no_time_left,      // the delay would pass the deadline
    cancelled,
};

/// A phrase for people: "the last attempt that was allowed".
std::string_view to_string(retry_verdict value);

/// Whether the policy allows a retry, without regard to time. The default faults include agent_lost if the execution is idempotent.
/// A failure of the program needs its exit code, or attempt_fault::program, in the policy.
retry_verdict judge(const failed_attempt& what, const retry_policy& policy);

/// An attempt needs at least this much time to be started.
inline constexpr std::chrono::milliseconds least_attempt{100};

/// The deadline of all attempts together, counted from the start of the first. `wall` is limits.wall_ms.
class retry_deadline {
public:
    retry_deadline(std::chrono::nanoseconds elapsed, std::chrono::milliseconds wall) : elapsed_(elapsed), wall_(wall) { }
    /// Remaining time for an attempt that begins now; at least 0.
    std::chrono::milliseconds left() const;
    /// Whether an attempt that begins `delay` from now has enough time.
    bool allows(std::chrono::milliseconds delay) const { return delay + least_attempt <= left(); }

private:
    std::chrono::nanoseconds elapsed_;
    std::chrono::milliseconds wall_;
};

}    // namespace caisson

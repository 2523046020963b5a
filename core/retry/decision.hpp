#pragma once

#include "core/retry/types.hpp"

#include <chrono>
#include <optional>
#include <string_view>

namespace caisson {

/// What is known of an attempt that ended without success.
struct failed_attempt {
    int number = 1;    // of the attempt, 1 is the first
    attempt_fault fault = attempt_fault::limit;
    std::optional<int> exit_code;    // of a program that exited
    bool idempotent = false;         // the request says that running it twice does no harm
    bool host_to_blame = false;      // agent_lost: nothing in the sandbox can have ended the agent
    bool stdin_spent = false;        // the program took input that nobody has any more
    bool cancelled = false;
};

/// What becomes of it.
enum class retry_verdict {
    repeat,
    not_a_reason,      // the policy does not name what happened
    may_have_run,      // the program may have started, and may not run twice
    agent_killed,      // from inside, as far as can be known
    input_is_gone,     // stdin cannot be given again
    attempts_spent,    // it was the last that the policy allows
    no_time_left,      // the delay would pass the deadline
    cancelled,
};

/// As words for people: "the last attempt that was allowed".
std::string_view to_string(retry_verdict value);

/// Whether what happened may be tried again, whatever the time. A policy whose faults are the default ones means the loss of an
/// agent too if the run is idempotent. A program's failure needs its exit code in the policy, or attempt_fault::program.
retry_verdict judge(const failed_attempt& what, const retry_policy& policy);

/// An attempt that would have less time than this is not made.
inline constexpr std::chrono::milliseconds least_attempt{100};

/// The one deadline over all attempts, counted from the begin of the first: `wall` is limits.wall_ms.
class retry_deadline {
public:
    retry_deadline(std::chrono::nanoseconds elapsed, std::chrono::milliseconds wall) : elapsed_(elapsed), wall_(wall) { }
    /// What an attempt that begins now may use at most; 0 if there is nothing left.
    std::chrono::milliseconds left() const;
    /// Whether an attempt can begin `delay` from now.
    bool allows(std::chrono::milliseconds delay) const { return delay + least_attempt <= left(); }

private:
    std::chrono::nanoseconds elapsed_;
    std::chrono::milliseconds wall_;
};

}    // namespace caisson

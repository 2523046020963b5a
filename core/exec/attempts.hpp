#pragma once

#include "core/base/error.hpp"
#include "core/exec/ending.hpp"
#include "core/exec/types.hpp"
#include "core/retry/decision.hpp"

#include <optional>
#include <string>

namespace caisson {

// What attempts of an execution mean, without I/O. See docs/internals/attempts.md.

/// What an ended attempt was, as far as repeating it is concerned; nothing for a success.
std::optional<attempt_fault> fault_of(const ending& end, const ending_facts& facts);

/// The same of an ended record, as far as it tells.
std::optional<attempt_fault> fault_of_record(const execution_row& row);

/// Whether an error of making a sandbox could be another one the next time.
bool is_worth_another(errc code);

/// Writes an end into the attempt that ran.
void end_attempt(execution_attempt& attempt, const ending& end, std::optional<attempt_fault> fault, std::int64_t now_ms);

/// The ending of an execution whose last attempt was `attempt`, which has ended; `why` there is no other, as words.
ending ending_of(const execution_attempt& attempt, const std::vector<limit_kind>& limits_hit, std::string why);

/// What the error of an execution that was tried more than once says besides: "; tried 3 times".
std::string count_of_attempts(const execution_row& row);

/// How much of limits.wall_ms was left when the attempt that runs was begun, by the times of the record: all for the first.
std::chrono::milliseconds wall_left_of_record(const execution_row& row);

}    // namespace caisson

#pragma once

#include "core/exec/types.hpp"
#include "core/skills/ports.hpp"

#include <cstdint>
#include <string>

namespace caisson {

/// What was found of a skill's output.json once its program had ended.
struct skill_output {
    enum class state { absent, whole, unreadable };
    state what = state::absent;
    std::string text;    // its bytes, of a whole one; of an unreadable one why, in a few words
};

/// Finishes the row of a skill's execution. The row has its ending already (apply_ending) and the exit event is not written yet.
///   - the error is said as clients of the skill runner know it: `container exited with code N`, `execution timed out after 5s`;
///   - valid output becomes row.output as it is, byte for byte, whatever the status;
///   - output that could not be read, is no JSON, or not what spec.skill->output_schema says makes a success a failure with an error that
///     says so and where. Any other ending stays what it is, with the same said behind its error.
/// `check` may be null: then the schema is not looked at. Does nothing to an execution of another kind.
void judge_skill(execution_row& row, const execution_spec& spec, const skill_output& found, schema_check check);

/// "1h0m0.5s", "5s", "250ms", "0s": how Go writes a duration.
std::string go_duration(std::int64_t milliseconds);

}    // namespace caisson

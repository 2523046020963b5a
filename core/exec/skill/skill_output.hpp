#pragma once

#include "core/base/error.hpp"
#include "core/exec/types.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace caisson {

/// What was found of a skill's output.json once its program had ended.
struct skill_output {
    enum class state { absent, whole, unreadable };
    state what = state::absent;
    std::string text;    // its bytes, of a whole one; of an unreadable one why, in a few words
};

/// What is wrong with the text of an output as JSON: "is not valid JSON: it ends too early at line 1, column 6"; empty if nothing is.
std::string syntax_problem(std::string_view text);

/// What a check by the skill's outputs schema found, in words; empty if nothing.
std::string mismatch_problem(const result<std::vector<field_problem>>& found);

/// Finishes the row of a skill's execution. The row has its ending already (apply_ending) and the exit event is not written yet.
///   - the error is said as clients of the skill runner know it: `container exited with code N`, `execution timed out after 5s`;
///   - valid output becomes row.output as it is, byte for byte, whatever the status;
///   - output that could not be read, or has a problem (`of_whole`: of one that was read, as the two above say it; empty if it has none),
///     makes a success a failure with an error that says so and where. Any other ending stays what it is, with the same said behind its
///     error.
/// Does nothing to an execution of another kind.
void judge_skill(execution_row& row, const execution_spec& spec, const skill_output& found, const std::string& of_whole);

}    // namespace caisson

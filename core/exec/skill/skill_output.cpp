#include "core/exec/skill/skill_output.hpp"

#include "core/languages/json_text.hpp"
#include "core/skills/quantities.hpp"

#include <chrono>

namespace caisson {

namespace {

constexpr std::size_t most_mismatches_told = 3;

/// As a container's engine reports the end by a signal.
constexpr int signal_base = 128;
constexpr int killed = signal_base + 9;

std::string exited_with(int code) { return "container exited with code " + std::to_string(code); }

std::string error_of(const execution_row& row)
{
    switch (row.verdict.value_or(verdict::lost)) {
    case verdict::exited: return row.exit_code.value_or(0) == 0 ? row.error : exited_with(*row.exit_code);
    case verdict::signaled: return exited_with(signal_base + row.signal.value_or(0));
    case verdict::memory_limit: return exited_with(killed) + " (" + row.error + ")";
    case verdict::wall_limit: return "execution timed out after " + duration_text(std::chrono::milliseconds(row.limits.wall_ms));
    case verdict::cpu_limit:
    case verdict::output_limit:
    case verdict::cancelled:
    case verdict::lost:
    case verdict::runtime_error: break;
    }
    return row.error;
}

/// What is wrong with the output; empty if nothing is.
std::string output_problem(const skill_output& found, const execution_spec& spec, const std::string& of_whole)
{
    switch (found.what) {
    case skill_output::state::absent:
        return spec.skill->output_schema.empty() ? "" : "was not written, and the skill has an outputs schema";
    case skill_output::state::unreadable: return "could not be taken: " + found.text;
    case skill_output::state::whole: break;
    }
    return of_whole;
}

/// Nobody could tell an output that is missing: the program did not come to it.
bool may_be_absent(const execution_row& row, const skill_output& found)
{
    return found.what == skill_output::state::absent && row.status != execution_status::success;
}

}    // namespace

std::string syntax_problem(std::string_view text)
{
    const auto broken = json_problem(text);
    return broken.empty() ? "" : "is not valid JSON: " + broken;
}

std::string mismatch_problem(const result<std::vector<field_problem>>& found)
{
    if (found.has_error())
        return "cannot be checked: " +
               (found.error().code == errc::internal ? "the server failed; its log says why" : found.error().detail);
    if (found->empty())
        return {};
    std::string told;
    for (std::size_t i = 0; i < found->size() && i < most_mismatches_told; ++i) {
        const auto& [place, message] = (*found)[i];
        told.append(told.empty() ? "" : "; ").append(place).append(place.empty() ? "" : " ").append(message);
    }
    if (found->size() > most_mismatches_told)
        told += "; and " + std::to_string(found->size() - most_mismatches_told) + " more";
    return "does not match the skill's outputs schema: " + told;
}

void judge_skill(execution_row& row, const execution_spec& spec, const skill_output& found, const std::string& of_whole)
{
    if (!spec.skill)
        return;
    row.error = error_of(row);
    const auto problem = may_be_absent(row, found) ? std::string() : output_problem(found, spec, of_whole);
    if (problem.empty()) {
        row.output = shared_bytes(found.text);
        return;
    }
    if (row.status == execution_status::success)
        row.status = execution_status::failed;
    row.error += (row.error.empty() ? "output.json " : "; output.json ") + problem;
}

}    // namespace caisson

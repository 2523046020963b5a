#include "core/exec/skill_output.hpp"

#include "core/exec/json_text.hpp"

#include <cstdlib>

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
    case verdict::wall_limit: return "execution timed out after " + go_duration(row.limits.wall_ms);
    case verdict::cpu_limit:
    case verdict::output_limit:
    case verdict::cancelled:
    case verdict::lost:
    case verdict::runtime_error: break;
    }
    return row.error;
}

std::string mismatch(const std::string& schema, const std::string& text, schema_check check)
{
    if (check == nullptr || schema.empty())
        return {};
    const auto found = check(schema, text);
    if (found.has_error())
        return "cannot be checked: " + found.error().detail;
    if (found->empty())
        return {};
    std::string told;
    for (std::size_t i = 0; i < found->size() && i < most_mismatches_told; ++i)
        told += (told.empty() ? "" : "; ") + (*found)[i];
    if (found->size() > most_mismatches_told)
        told += "; and " + std::to_string(found->size() - most_mismatches_told) + " more";
    return "does not match the skill's outputs schema: " + told;
}

/// What is wrong with the output; empty if nothing is.
std::string problem_of(const skill_output& found, const execution_spec& spec, schema_check check)
{
    switch (found.what) {
    case skill_output::state::absent:
        return spec.skill->output_schema.empty() ? "" : "was not written, and the skill has an outputs schema";
    case skill_output::state::unreadable: return "could not be taken: " + found.text;
    case skill_output::state::whole: break;
    }
    const auto broken = json_problem(found.text);
    return broken.empty() ? mismatch(spec.skill->output_schema, found.text, check) : "is not valid JSON: " + broken;
}

/// Nobody could tell an output that is missing: the program did not come to it.
bool may_be_absent(const execution_row& row, const skill_output& found)
{
    return found.what == skill_output::state::absent && row.status != execution_status::success;
}

}    // namespace

void judge_skill(execution_row& row, const execution_spec& spec, const skill_output& found, schema_check check)
{
    if (!spec.skill)
        return;
    row.error = error_of(row);
    const auto problem = may_be_absent(row, found) ? std::string() : problem_of(found, spec, check);
    if (problem.empty()) {
        row.output = found.text;
        return;
    }
    if (row.status == execution_status::success)
        row.status = execution_status::failed;
    row.error += (row.error.empty() ? "output.json " : "; output.json ") + problem;
}

std::string go_duration(std::int64_t milliseconds)
{
    constexpr std::int64_t second = 1'000;
    constexpr std::int64_t minute = 60 * second;
    constexpr std::int64_t hour = 60 * minute;
    if (milliseconds == 0)
        return "0s";
    const auto whole = std::llabs(milliseconds);
    std::string out = milliseconds < 0 ? "-" : "";
    if (whole < second)
        return out + std::to_string(whole) + "ms";
    if (whole >= hour)
        out += std::to_string(whole / hour) + "h";
    if (whole >= minute)
        out += std::to_string(whole % hour / minute) + "m";
    out += std::to_string(whole % minute / second);
    if (const auto fraction = whole % second; fraction != 0) {
        auto digits = std::to_string(second + fraction).substr(1);
        digits.resize(digits.find_last_not_of('0') + 1);
        out += "." + digits;
    }
    return out + "s";
}

}    // namespace caisson

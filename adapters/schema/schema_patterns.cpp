#include "adapters/schema/schema_patterns.hpp"

#include "adapters/schema/ecma_pattern.hpp"

#include <re2/re2.h>

namespace caisson {

namespace {

constexpr std::size_t max_patterns = 50;
constexpr std::size_t max_pattern_bytes = 1'024;
/// For comparison: `\p{L}` takes 1,200, `.{1,255}` 2,300.
constexpr std::size_t max_program_size = 3'000;
/// For the program and its automaton. Without space for the automaton RE2 interprets instruction by instruction.
constexpr std::int64_t max_pattern_memory = 128 << 10;

/// Work per step, measured with the worst patterns: instructions × bytes for matching; for compiling, instructions, bytes and Unicode
/// classes (`\p{…}`), each a list of hundreds of ranges.
constexpr std::size_t instruction_bytes_per_step = 64;
constexpr std::size_t steps_per_pattern = 50;
constexpr std::size_t steps_per_class = 400;

std::size_t cost_of_compiling(std::string_view pattern)
{
    std::size_t classes = 0;
    for (std::size_t i = 0; i + 1 < pattern.size(); ++i)
        classes += pattern[i] == '\\' && (pattern[i + 1] == 'p' || pattern[i + 1] == 'P') ? 1 : 0;
    return steps_per_pattern + pattern.size() + classes * steps_per_class;
}

std::string shown_pattern(std::string_view pattern) { return "the pattern \"" + std::string(pattern.substr(0, 100)) + "\""; }

}    // namespace

schema_patterns::schema_patterns() = default;
schema_patterns::schema_patterns(schema_patterns&&) noexcept = default;
schema_patterns& schema_patterns::operator=(schema_patterns&&) noexcept = default;
schema_patterns::~schema_patterns() = default;

std::string schema_patterns::add(std::string_view pattern, step_budget& budget)
{
    if (pattern.size() > max_pattern_bytes)
        return "a pattern has more than " + std::to_string(max_pattern_bytes) + " bytes";
    if (all_.contains(pattern))
        return {};
    if (all_.size() == max_patterns)
        return "the schema has more than " + std::to_string(max_patterns) + " different patterns";
    budget.charge(cost_of_compiling(pattern));
    RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(max_pattern_memory);
    const auto translated = re2_from_ecma(pattern);
    if (!translated.fault.empty())
        return shown_pattern(pattern) + " cannot be used: " + translated.fault;
    auto program = std::make_unique<RE2>(translated.text, options);
    if (!program->ok() && program->error_code() == RE2::ErrorPatternTooLarge)
        return shown_pattern(pattern) + " is too large: it becomes a program of more than " + std::to_string(max_program_size) +
               " instructions";
    if (!program->ok())
        return shown_pattern(pattern) + " cannot be used: " + program->error();
    const auto size = static_cast<std::size_t>(program->ProgramSize());
    budget.charge(size);
    if (size > max_program_size)
        return shown_pattern(pattern) + " is too large: it becomes a program of " + std::to_string(size) + " instructions, at most " +
               std::to_string(max_program_size) + " are run";
    all_.emplace(std::string(pattern), compiled{std::move(program), size});
    return {};
}

bool schema_patterns::matches(std::string_view pattern, std::string_view text, step_budget& budget) const
{
    const auto& kept = all_.find(pattern)->second;
    budget.charge(2 + kept.size * text.size() / instruction_bytes_per_step);
    return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *kept.program);
}

}    // namespace caisson

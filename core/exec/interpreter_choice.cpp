#include "core/exec/interpreter_choice.hpp"

#include "core/exec/skill/skill_program.hpp"
#include "core/languages/languages.hpp"
#include "core/pool/parking.hpp"

#include <algorithm>
#include <span>
#include <string_view>

namespace caisson {

namespace {

constexpr std::string_view python = "python";

bool is_interpreter(std::string_view program)
{
    const auto name = program.substr(program.rfind('/') + 1);
    return name == "python" || name.starts_with("python3");
}

/// How many arguments there are up to the program's file, by the table of languages.
std::size_t leading(const language& row) { return 2 + row.run.size(); }

}    // namespace

const std::vector<std::string>& argv_on(const execution_spec& spec, const runtime& where)
{
    return where.traits().has_images || spec.host_argv.empty() ? spec.argv : spec.host_argv;
}

bool wants_interpreter(const execution_spec& spec, const std::vector<std::string>& argv)
{
    const bool is_code = spec.kind == execution_kind::code && spec.language == python;
    // Never a program that the request or the package brings along: nothing of a tenant runs before its execution.
    const bool is_skill = spec.kind == execution_kind::skill && spec.skill && spec.cwd.empty() && !spec.skill->interpreter.empty() &&
                          !argv.empty() && argv.front() == spec.skill->interpreter;
    const auto& row = *find_language(python);
    if ((!is_code && !is_skill) || argv.size() < leading(row) || !is_interpreter(argv.front()))
        return false;
    return std::ranges::equal(row.run, std::span(argv).subspan(1, row.run.size())) && !argv[leading(row) - 1].starts_with('-');
}

std::optional<ready_interpreter> interpreter_for(
    const execution_spec& spec, const std::vector<std::string>& argv, const std::vector<std::string>& preload)
{
    const bool odd = spec.pty || spec.limits.stack_bytes != waiting_stack_bytes || !spec.cwd.empty() ||
                     std::ranges::any_of(spec.env, [&](const auto& each) { return !may_differ(each.first, !preload.empty()); });
    if (odd || !wants_interpreter(spec, argv))
        return std::nullopt;
    const auto end = argv.begin() + static_cast<std::ptrdiff_t>(leading(*find_language(python)));
    return ready_interpreter{{argv.begin(), end}, spec.kind == execution_kind::skill ? std::string(skill_home) : std::string()};
}

}    // namespace caisson

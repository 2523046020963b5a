#include "core/exec/parking.hpp"

#include "core/exec/skill/skill_program.hpp"
#include "core/languages/languages.hpp"

#include "core/exec/parking_files.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <sys/resource.h>

namespace caisson {

namespace {

constexpr std::string_view python = "python";

/// What an interpreter, its libraries and the C library read while they start.
constexpr std::array<std::string_view, 18> read_at_start{"PYTHON*", "HOME", "PATH", "LANG", "LANGUAGE", "LC_*", "LOCPATH", "NLSPATH", "TZ*",
    "LD_*", "GLIBC_TUNABLES", "GCONV_PATH", "MALLOC_*", "GETCONF_DIR", "CHARSET*", "OUTPUT_CHARSET", "HOSTALIASES", "RES_OPTIONS"};

/// The server's own, which no module that is imported ahead looks for.
constexpr std::array<std::string_view, 3> own_variables{"CAISSON_", "SANDBOX_", "SKILL_"};

bool matches(std::string_view name, std::string_view pattern)
{
    return pattern.ends_with('*') ? name.starts_with(pattern.substr(0, pattern.size() - 1)) : name == pattern;
}

/// Modules that are imported ahead may have read any variable.
bool may_differ(std::string_view name, bool preloads)
{
    if (std::ranges::any_of(read_at_start, [&](auto pattern) { return matches(name, pattern); }))
        return false;
    return !preloads || std::ranges::any_of(own_variables, [&](auto prefix) { return name.starts_with(prefix); });
}

bool is_interpreter(std::string_view program)
{
    const auto name = program.substr(program.rfind('/') + 1);
    return name == "python" || name.starts_with("python3");
}

/// How many arguments there are up to the program's file, by the table of languages.
std::size_t leading(const language& row) { return 2 + row.run.size(); }

std::string join(const std::vector<std::string>& names)
{
    std::string out;
    for (const auto& each : names)
        out += (out.empty() ? "" : ",") + each;
    return out;
}

}    // namespace

const std::vector<std::string>& argv_on(const execution_spec& spec, const runtime& where)
{
    return where.traits().has_images || spec.host_argv.empty() ? spec.argv : spec.host_argv;
}

std::map<std::string, std::string> fixed_environment(const std::string& home, const runtime& where)
{
    std::map<std::string, std::string> env{{"HOME", home}, {"LANG", "C.UTF-8"}};
    if (!where.traits().has_images)
        env["PATH"] = "/usr/local/bin:/usr/bin:/bin";
    if (where.traits().isolates)    // LeakSanitizer ends programs that it cannot trace
        for (const char* const name : {"ASAN_OPTIONS", "LSAN_OPTIONS"})
            env[name] = "detect_leaks=0";
    return env;
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

protocol::park_request park_order(
    const ready_interpreter& what, const std::string& work_directory, const runtime& where, const execution_services& use)
{
    protocol::park_request order;
    order.program.argv = what.argv;
    const auto env = fixed_environment(what.home.empty() ? work_directory : what.home, where);
    order.program.env.assign(env.begin(), env.end());
    order.program.cwd = work_directory;
    order.program.rlimits = {{RLIMIT_STACK, static_cast<std::uint64_t>(waiting_stack_bytes)}};
    order.program.seccomp_filter = use.filter_on(where);
    order.file_name = "sitecustomize.py";
    order.file_text = embedded::parking::python;
    order.hooks = {{"PYTHONPATH", "{park}"}};
    if (use.sources.pool && !use.sources.pool->preload.empty())
        order.hooks.emplace_back("CAISSON_PRELOAD", join(use.sources.pool->preload));
    order.fixed.assign(read_at_start.begin(), read_at_start.end());
    return order;
}

protocol::park_request bare_park_order(const runtime& where, const execution_services& use)
{
    protocol::park_request order;
    order.program.rlimits = {{RLIMIT_CORE, 1}};    // under the filter it cannot be set
    order.program.seccomp_filter = use.filter_on(where);
    return order;
}

}    // namespace caisson

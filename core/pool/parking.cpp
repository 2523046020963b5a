#include "core/pool/parking.hpp"

#include "core/pool/parking_files.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <sys/resource.h>

namespace caisson {

namespace {

/// What an interpreter, its libraries and the C library read while they start.
constexpr std::array<std::string_view, 18> read_at_start{"PYTHON*", "HOME", "PATH", "LANG", "LANGUAGE", "LC_*", "LOCPATH", "NLSPATH", "TZ*",
    "LD_*", "GLIBC_TUNABLES", "GCONV_PATH", "MALLOC_*", "GETCONF_DIR", "CHARSET*", "OUTPUT_CHARSET", "HOSTALIASES", "RES_OPTIONS"};

/// The server's own, which no module that is imported ahead looks for.
constexpr std::array<std::string_view, 3> own_variables{"CAISSON_", "SANDBOX_", "SKILL_"};

bool matches(std::string_view name, std::string_view pattern)
{
    return pattern.ends_with('*') ? name.starts_with(pattern.substr(0, pattern.size() - 1)) : name == pattern;
}

std::string joined(const std::vector<std::string>& names)
{
    std::string out;
    for (const auto& each : names)
        out += (out.empty() ? "" : ",") + each;
    return out;
}

}    // namespace

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

bool may_differ(std::string_view name, bool preloads)
{
    if (std::ranges::any_of(read_at_start, [&](auto pattern) { return matches(name, pattern); }))
        return false;
    return !preloads || std::ranges::any_of(own_variables, [&](auto prefix) { return name.starts_with(prefix); });
}

protocol::park_request park_order(
    const ready_interpreter& what, const std::string& work_directory, const runtime& where, const sandbox_sources& use)
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
    if (use.pool && !use.pool->preload.empty())
        order.hooks.emplace_back("CAISSON_PRELOAD", joined(use.pool->preload));
    order.fixed.assign(read_at_start.begin(), read_at_start.end());
    return order;
}

protocol::park_request bare_park_order(const runtime& where, const sandbox_sources& use)
{
    protocol::park_request order;
    order.program.rlimits = {{RLIMIT_CORE, 1}};    // under the filter it cannot be set
    order.program.seccomp_filter = use.filter_on(where);
    return order;
}

}    // namespace caisson

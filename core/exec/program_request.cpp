#include "core/exec/program_request.hpp"

#include "core/exec/interpreter_choice.hpp"
#include "core/exec/skill/skill_program.hpp"
#include "core/pool/parking.hpp"

#include <sys/resource.h>

namespace caisson {

namespace {

/// What every program gets unless the request says otherwise.
std::map<std::string, std::string> base_environment(const execution& exec, const runtime& where)
{
    auto env = fixed_environment(exec.sandbox()->work_directory(), where);
    env["CAISSON_EXECUTION_ID"] = exec.row.id.str();
    env["CAISSON_ATTEMPT"] = std::to_string(exec.row.attempts.back().number);
    if (exec.spec.pty)
        env["TERM"] = "xterm-256color";
    if (exec.spec.kind == execution_kind::skill)
        for (auto& [name, value] : skill_environment(exec.spec, exec.sandbox()->work_directory()))
            env[name] = std::move(value);
    return env;
}

/// `cwd` as the sandbox sees it.
std::string absolute_cwd(const std::string& work, const std::string& cwd)
{
    if (cwd.empty())
        return work;
    return cwd.starts_with('/') ? cwd : work + "/" + cwd;
}

std::vector<protocol::spawn_request::limit> rlimits_for(const execution_limits& limits, const runtime& where)
{
    const auto& host = where.capabilities();
    const auto number = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    std::vector<protocol::spawn_request::limit> out{
        {RLIMIT_CORE, 1}, {RLIMIT_NOFILE, number(limits.open_files)}, {RLIMIT_FSIZE, number(limits.file_bytes)}, {RLIMIT_MEMLOCK, 64 << 10},
        {RLIMIT_MSGQUEUE, 800 << 10}, {RLIMIT_SIGPENDING, 1'024}, {RLIMIT_STACK, number(limits.stack_bytes)}, {RLIMIT_RTPRIO, 0},
        {RLIMIT_NICE, 0}, {RLIMIT_CPU, number(limits.cpu_ms / 1000 + 2)},    // for each process; the group's limit is exact and comes first
    };
    if (where.traits().isolates && !host.enforces_pids)    // counts per user namespace (user_namespaces(7)), where the agent is one
        out.push_back({RLIMIT_NPROC, number(limits.pids + 1)});
    if (where.traits().isolates && !host.enforces_memory)
        out.push_back({RLIMIT_DATA, number(limits.memory_bytes)});
    return out;
}

}    // namespace

protocol::spawn_request spawn_request_for(const execution& exec, const execution_services& services)
{
    const auto& spec = exec.spec;
    const auto& where = *services.sources.find(exec.row.runtime);
    protocol::spawn_request request;
    const auto& argv = argv_on(spec, where);
    request.argv = spec.kind == execution_kind::skill ? skill_argv(spec, exec.sandbox()->work_directory()) : argv;
    auto env = base_environment(exec, where);
    for (const auto& [name, value] : spec.env)
        env[name] = value;
    request.env.assign(env.begin(), env.end());
    request.cwd = absolute_cwd(exec.sandbox()->work_directory(), spec.cwd);
    if (spec.pty)
        request.pty = protocol::spawn_request::size{static_cast<std::uint16_t>(spec.pty->cols), static_cast<std::uint16_t>(spec.pty->rows)};
    request.rlimits = rlimits_for(spec.limits, where);
    request.wall_ms = static_cast<std::uint64_t>(spec.limits.wall_ms);
    request.stdin_open = true;    // the end of stdin is sent like its bytes
    request.seccomp_filter = services.sources.filter_on(where);
    return request;
}

}    // namespace caisson

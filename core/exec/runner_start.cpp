#include "core/exec/parking.hpp"
#include "core/exec/runner.hpp"
#include "core/exec/skill/skill_program.hpp"

#include <sys/resource.h>
#include <sys/stat.h>

namespace caisson {

namespace {

/// What every program gets unless the request says otherwise.
std::map<std::string, std::string> base_environment(const execution& one, const runtime& where)
{
    auto env = fixed_environment(one.sandbox()->work_directory(), where);
    env["CAISSON_EXECUTION_ID"] = one.row.id.str();
    env["CAISSON_ATTEMPT"] = std::to_string(one.row.attempts.back().number);
    if (one.spec.pty)
        env["TERM"] = "xterm-256color";
    if (one.spec.kind == execution_kind::skill)
        for (auto& [name, value] : skill_environment(one.spec, one.sandbox()->work_directory()))
            env[name] = std::move(value);
    return env;
}

/// A path that ends with a slash is a directory.
void put_input(protocol::agent_link& link, input_file file)
{
    constexpr std::uint32_t directory_mode = S_IFDIR | 0755;
    const bool directory = file.path.ends_with('/');
    if (directory)
        file.path.pop_back();
    link.put_file(only_execution, std::move(file.path), directory ? directory_mode : file.mode, std::move(file.content));
}

/// Repeating it would not help.
error package_gone(const skill_run& skill)
{
    return {errc::gone, "the package of skill " + skill.name + "@" + skill.version + " (sha256:" + skill.digest + ") was removed"};
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
        {RLIMIT_NICE, 0}, {RLIMIT_CPU, number(limits.cpu_ms / 1000 + 2)},    // per process: behind the group's limit, which is exact
    };
    if (where.isolates() && !host.enforces_pids)    // counts per user namespace (user_namespaces(7)), where the agent is one
        out.push_back({RLIMIT_NPROC, number(limits.pids + 1)});
    if (where.isolates() && !host.enforces_memory)
        out.push_back({RLIMIT_DATA, number(limits.memory_bytes)});
    return out;
}

}    // namespace

/// A skill's package stays in the cache as long as it is held.
task<result<void>> runner::hold_package(live_ptr one)
{
    if (!one->spec.skill || one->now.tree)
        co_return result<void>();
    if (use_.trees == nullptr)
        co_return error{errc::gone, "this server runs no skills"};
    auto opened = co_await use_.trees->open(one->row.tenant, one->spec.skill->digest);
    if (opened.has_error())
        co_return opened.error().code == errc::not_found ? package_gone(*one->spec.skill) : opened.error();
    one->now.tree = std::move(*opened);
    co_return result<void>();
}

/// With its package, if it has one, as that is held.
sandbox_spec runner::sandbox_for(const execution& one)
{
    const auto& limits = one.spec.limits;
    sandbox_spec wanted;
    wanted.id = use_.ids.make<sandbox_id>();
    wanted.limits = {limits.memory_bytes, limits.cpu_milli, limits.pids, limits.disk_bytes, limits.inodes};
    wanted.lease = use_.link.lease;
    wanted.is_awaited = true;
    wanted.image = runs_in_image(one) ? one.spec.image : std::string();
    if (one.now.tree) {
        wanted.work_directory = skill_directory;
        wanted.trees.push_back({one.now.tree->path().string(), std::string(skill_package)});
    }
    return wanted;
}

task<result<sandbox_spec>> runner::describe_sandbox(live_ptr one)
{
    auto held = co_await hold_package(one);
    if (held.has_error())
        co_return held.error();
    co_return sandbox_for(*one);
}

protocol::spawn_request runner::spawn_request_for(const execution& one) const
{
    const auto& spec = one.spec;
    const auto& where = *use_.runtimes.find(one.row.runtime)->second;
    protocol::spawn_request request;
    const auto& argv = argv_on(spec, where);
    request.argv = spec.kind == execution_kind::skill ? skill_argv(spec, one.sandbox()->work_directory()) : argv;
    auto env = base_environment(one, where);
    for (const auto& [name, value] : spec.env)
        env[name] = value;
    request.env.assign(env.begin(), env.end());
    request.cwd = absolute_cwd(one.sandbox()->work_directory(), spec.cwd);
    if (spec.pty)
        request.pty = protocol::spawn_request::size{static_cast<std::uint16_t>(spec.pty->cols), static_cast<std::uint16_t>(spec.pty->rows)};
    request.rlimits = rlimits_for(spec.limits, where);
    request.wall_ms = static_cast<std::uint64_t>(spec.limits.wall_ms);
    request.stdin_open = true;    // its end is sent like its bytes
    request.seccomp_filter = use_.filter_on(where);
    return request;
}

void runner::start_program(execution& one)
{
    auto& link = *one.link();
    one.listen(std::nullopt);
    if (one.spec.kind == execution_kind::skill)
        for (auto& file : skill_files(one.spec))
            put_input(link, std::move(file));
    for (auto& file : std::exchange(one.spec.files, {}))    // the link keeps them until the agent has them
        put_input(link, std::move(file));
    for (auto& file : std::exchange(one.now.placed, {}))
        link.put_file(only_execution, std::move(file.path), file.mode, std::move(file.content));
    link.spawn(only_execution, spawn_request_for(one), one.now.group ? one.now.group->join_descriptors() : std::vector<int>());
    ask_for_files_at_end(one);
    const bool may_wait = use_.pool && use_.pool->interpreters;
    if (may_wait && wants_interpreter(one.spec, argv_on(one.spec, *use_.runtimes.find(one.row.runtime)->second)))
        one.row.stages.interpreter = "cold";    // unless the agent says otherwise
    one.phase = run_phase::running;
    one.heard.started_at = one.heard.asked_at = use_.time.steady_now();
    one.now.taken_up = false;
    one.stdin_bytes.flush(link, only_execution);
}

}    // namespace caisson

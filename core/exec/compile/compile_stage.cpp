#include "core/exec/compile/compile_stage.hpp"

#include "core/async/deadline.hpp"
#include "core/async/wait_until.hpp"
#include "core/base/elapsed.hpp"
#include "core/exec/compile/compile_order.hpp"
#include "core/exec/compile/compiler_process.hpp"
#include "core/exec/program_request.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <sys/resource.h>

namespace caisson {

namespace {

using namespace std::chrono_literals;

/// How often the group's CPU time and memory events are read.
constexpr auto look_at_group_every = 50ms;

/// Returns when `holds` is true of the compiler, or the sandbox is lost.
task<> wait_for_compiler(std::shared_ptr<execution> exec, std::shared_ptr<compiler_process> of, bool (*holds)(const compile_session&))
{
    const auto is_over = [of = std::move(of), holds](const execution& in) { return holds(of->session) || !in.heard.lost.empty(); };
    return wait_until(std::move(exec), is_over);
}

bool has_answered(const compile_session& of) { return of.unknown() || of.started() || of.ended(); }
bool has_ended(const compile_session& of) { return of.ended(); }
bool streams_ended(const compile_session& of) { return of.streams_ended(); }

using compiler_ptr = std::shared_ptr<compiler_process>;

compiler_ptr attach_compiler(
    const std::shared_ptr<execution>& exec, protocol::exec_number number, std::optional<protocol::resume_point> resume)
{
    const auto& program = exec->spec.compile->argv.front();
    return exec->current.compilers.emplace_back(std::make_shared<compiler_process>(exec->link(), number, program, waking(exec), resume));
}

/// The compiler's limits in the place of the program's.
execution_limits limits_of(const execution_spec& spec)
{
    auto limits = spec.limits;
    limits.wall_ms = spec.compile->limits.wall_ms;
    limits.cpu_ms = spec.compile->limits.cpu_ms;
    limits.memory_bytes = spec.compile->limits.memory_bytes;
    return limits;
}

/// A sentence; empty: there is a program.
std::string compile_problem(const ending& end, const compile_limits& limits)
{
    switch (end.verdict) {
    case verdict::exited:
        return *end.exit_code == 0 ? "" : "the compilation failed: the compiler exited with code " + std::to_string(*end.exit_code);
    case verdict::signaled:
        return "the compilation failed: the compiler was ended by signal " + std::to_string(*end.signal) + " (" + ::strsignal(*end.signal) +
               ")";
    case verdict::wall_limit: return "the compilation took longer than compile.wall_ms (" + std::to_string(limits.wall_ms) + " ms)";
    case verdict::cpu_limit: return "the compilation used more CPU time than compile.cpu_ms (" + std::to_string(limits.cpu_ms) + " ms)";
    case verdict::memory_limit:
        return "the compilation needed more memory than compile.memory_bytes (" + std::to_string(limits.memory_bytes) + " bytes)";
    default: return end.error;
    }
}

void replace_work(std::string& text, const std::string& directory)
{
    static constexpr std::string_view mark = "{work}";
    if (const auto at = text.find(mark); at != std::string::npos)
        text.replace(at, mark.size(), directory);
}

}    // namespace

/// A running compiler, and what was seen of it.
struct compile_stage::compile_run {
    std::shared_ptr<compile_order> order;
    compiler_ptr compiler;
    std::unique_ptr<execution_group> group;
    group_usage before;    // what the group's readings were before: an earlier compiler's, or of the sandbox as a whole
    std::optional<limit_watch> watch;
    steady_time asked_at;
    std::optional<steady_time> started_at;    // when the server heard that it runs
};

task<bool> compile_stage::compile(execution_ptr exec, std::shared_ptr<limit_watch> watched)
{
    exec->phase = run_phase::compiling;
    exec->row.waits_for = "its code is compiled";
    auto run = std::make_shared<compile_run>();
    run->order = std::make_shared<compile_order>(order_of(*exec));
    const bool was_compiled = co_await use_compiled(exec, run->order);
    if (was_compiled) {
        exec->row.waits_for.clear();
        co_await recorder_.store_compile_report(exec);
        co_return true;
    }
    const auto opened = open_compiler_group(*exec, *run);
    if (opened.has_error()) {
        exec->heard.start_failure = "the compiler could not be started: " + opened.error().detail;
        co_return false;
    }
    const auto number = co_await end_earlier_compilers(exec);
    if (!number)
        co_return false;
    start_compiler(exec, *number, *run);
    co_await watch_compiler(exec, run);
    co_await drain_compiler(exec, run);
    exec->row.waits_for.clear();
    judge_compiler(*exec, *run, watched->facts());
    const bool made = exec->row.compile && exec->row.compile->status == execution_status::success;
    run->order->is_plain = ended_plainly(*exec, *run);
    if (made)
        co_await record_compiled(exec, run->order);
    co_return made;
}

/// Opens the compiler's group, and ends what an earlier compiler left in it.
result<void> compile_stage::open_compiler_group(execution& exec, compile_run& run)
{
    const auto limits = limits_of(exec.spec);
    const group_name of_compiler{.program = exec.current.lease.number, .use = group_use::compiler};
    const auto open = [&] { return exec.sandbox()->open_group(of_compiler, {limits.memory_bytes, limits.cpu_milli, limits.pids}); };
    auto group = open();
    if (!group.has_error() && !(*group)->is_surely_empty()) {
        (*group)->kill();    // a kill may leave the group without the right to fork
        group = open();
    }
    if (group.has_error())
        return group.error();
    run.group = std::move(*group);
    run.before = run.group->usage();
    return {};
}

/// Ends earlier compilers, and gives the number of the next one. Nothing: the agent does not answer, or there were too many.
task<std::optional<protocol::exec_number>> compile_stage::end_earlier_compilers(execution_ptr exec)
{
    if (!exec->current.taken_up)
        co_return exec_numbers::compiler(exec->number(), 0);
    for (std::uint64_t nth = 0; nth < exec_numbers::most_compilers; ++nth) {
        const auto number = exec_numbers::compiler(exec->number(), nth);
        const auto earlier = attach_compiler(exec, number, protocol::resume_point{});
        auto answer = wait_for_compiler(exec, earlier, &has_answered);
        const auto heard = co_await with_deadline(use_.time, use_.time.steady_now() + limit_watch::silence_grace, std::move(answer));
        if (heard.has_value() && earlier->session.unknown()) {
            exec->current.compilers.pop_back();
            co_return number;
        }
        earlier->process.signal(SIGKILL, protocol::agent_link::target::sandbox);    // the link keeps it ahead of later starts
        auto end = wait_for_compiler(exec, earlier, &has_ended);
        const auto ended = co_await with_deadline(use_.time, use_.time.steady_now() + limit_watch::report_grace, std::move(end));
        if (exec->heard.lost.empty() && (heard.has_error() || ended.has_error()))
            exec->give_up("the sandbox's agent did not say how an earlier compiler stands");
        if (!exec->heard.lost.empty())
            co_return std::nullopt;
    }
    exec->heard.start_failure =
        "the compilation was interrupted " + std::to_string(exec_numbers::most_compilers) + " times by ends of the server";
    co_return std::nullopt;
}

/// Puts the files, once: the program has them too. Then starts the compiler.
void compile_stage::start_compiler(const execution_ptr& exec, protocol::exec_number number, compile_run& run) const
{
    run.compiler = attach_compiler(exec, number, std::nullopt);
    for (const auto& file : run.order->inputs.files)
        exec->link()->put_file(number, file.path, file.mode, file.content);
    run.compiler->process.start(std::move(run.order->request), run.group->join_descriptors());
    if (run.order->key.empty())
        run.order->inputs = {};    // the link keeps the files until the agent has them
    run.asked_at = use_.time.steady_now();
    const auto& limits = exec->spec.compile->limits;
    run.watch.emplace(
        watched_limits{.wall_ms = limits.wall_ms, .cpu_ms = limits.cpu_ms, .ends_gently = false, .name = "compiler"}, run.asked_at);
}

/// The program's request with the compiler's arguments, limits and variables, without terminal and stdin. The compiler is not told the
/// execution's id: its results must not depend on that.
protocol::spawn_request compile_stage::compile_request_for(const execution& exec) const
{
    const auto& step = *exec.spec.compile;
    auto request = spawn_request_for(exec, use_);
    const bool in_image = use_.sources.find(exec.row.runtime)->traits().has_images;
    request.argv = in_image || step.host_argv.empty() ? step.argv : step.host_argv;
    const auto work = exec.sandbox()->work_directory();
    request.cwd = step.directory.empty() ? work : work + "/" + step.directory;
    request.pty.reset();
    request.stdin_open = false;
    std::erase_if(request.env, [&](const auto& each) {
        return (each.first == "CAISSON_EXECUTION_ID" || each.first == "CAISSON_ATTEMPT") && !exec.spec.env.contains(each.first);
    });
    request.wall_ms = static_cast<std::uint64_t>(step.limits.wall_ms);
    for (auto& limit : request.rlimits) {
        if (limit.resource == RLIMIT_CPU)
            limit.value = static_cast<std::uint64_t>(step.limits.cpu_ms / 1000 + 2);
        else if (limit.resource == RLIMIT_DATA)
            limit.value = static_cast<std::uint64_t>(step.limits.memory_bytes);
    }
    for (auto [name, value] : step.env) {
        replace_work(value, work);
        if (!exec.spec.env.contains(name))
            request.env.emplace_back(name, std::move(value));
    }
    return request;
}

task<> compile_stage::watch_compiler(execution_ptr exec, std::shared_ptr<compile_run> run)
{
    while (!run->compiler->session.ended() && exec->heard.lost.empty()) {
        const auto seen = exec->changed.version();
        look_at_compiler(*exec, *run);
        if (!exec->heard.lost.empty())
            break;
        auto change = next_change(exec, seen);
        const auto woken = co_await with_deadline(use_.time, use_.time.steady_now() + look_at_group_every, std::move(change));
        static_cast<void>(woken);    // everything is looked at anyway
    }
}

void compile_stage::look_at_compiler(execution& exec, compile_run& run) const
{
    const auto now = use_.time.steady_now();
    if (!run.started_at && run.compiler->session.started())
        run.started_at = now;
    program_readings seen;
    seen.cancel_wanted = exec.cancel_wanted();
    seen.start_heard = run.started_at.has_value();
    seen.started_at = run.started_at.value_or(run.asked_at);
    seen.asked_at = run.asked_at;
    seen.killed_without_agent = run.group->kills_by_itself();
    if (run.watch->wants_usage(now))
        seen.used = {usage_since(run.group->usage(), run.before), std::nullopt,
            exec.sandbox()->uncounted_bytes(most_uncounted_bytes) >= most_uncounted_bytes};
    const auto next = run.watch->look(now, seen, look_at_group_every);
    if (next.kill) {
        run.group->kill();
        run.compiler->process.signal(SIGKILL, protocol::agent_link::target::sandbox);
    }
    if (!next.give_up.empty())
        exec.give_up(next.give_up);
}

/// Ends what the compiler left running, and hears its streams out.
task<> compile_stage::drain_compiler(execution_ptr exec, std::shared_ptr<compile_run> run)
{
    run->group->kill();
    if (!run->compiler->session.exited() || !exec->heard.lost.empty())
        co_return;
    run->compiler->process.signal(SIGKILL, protocol::agent_link::target::sandbox);
    auto streams = wait_for_compiler(exec, run->compiler, &streams_ended);
    const auto ended = co_await with_deadline(use_.time, use_.time.steady_now() + limit_watch::report_grace, std::move(streams));
    if (ended.has_error())
        use_.log.warning("the agent did not end a compiler's streams in time", {{"execution_id", exec->row.id.str()}});
}

/// Whether the compiler ended by itself and met no limit, which may change what it makes.
bool compile_stage::ended_plainly(const execution& exec, const compile_run& run)
{
    const auto& report = exec.row.compile;
    const auto disk = exec.sandbox()->disk().value_or(disk_usage());
    const auto& facts = run.watch->facts();
    const auto group = run.group->usage();    // a group that cannot be read any more says less than before
    const bool is_read = group.oom_kills >= run.before.oom_kills && group.pids_refused >= run.before.pids_refused;
    const bool well = report && report->status == execution_status::success && report->verdict == verdict::exited && report->exit_code == 0;
    const bool undisturbed = !run.watch->was_killed() && !facts.wall_limit && !facts.cpu_limit && !facts.uncounted_limit &&
                             facts.group.oom_kills == 0 && facts.group.pids_refused == 0;
    return well && is_read && undisturbed && run.compiler->session.streams_ended() && !run.compiler->session.has_gap() &&
           !disk.bytes_exhausted && !disk.inodes_exhausted;
}

void compile_stage::judge_compiler(execution& exec, compile_run& run, ending_facts& facts_of_program)
{
    auto& facts = run.watch->facts();
    const auto& exited = run.compiler->session.exited();
    facts.group = usage_since(run.group->usage(), run.before);
    facts.fault = run.compiler->session.start_failure();
    facts.lost = exec.heard.lost;
    if (exited) {
        facts.wait_status = exited->wait_status;
        facts.wall_limit = facts.wall_limit || exited->cause == protocol::exit_cause::wall_limit;
        const auto cpu_us = static_cast<std::int64_t>(exited->user_us + exited->system_us);
        facts.cpu_limit = facts.cpu_limit || cpu_us >= exec.spec.compile->limits.cpu_ms * 1000;
    }
    auto end = decide_ending(facts, limits_of(exec.spec));
    if (facts.group.oom_kills > 0 && end.verdict == verdict::exited && end.exit_code != 0) {
        facts.wait_status.reset();
        end = decide_ending(facts, limits_of(exec.spec));
    }
    if (end.verdict == verdict::memory_limit && facts.uncounted_limit)
        end.error = "the compilation failed: the compiler had too many sockets, messages unread in them, or record locks";
    else
        end.error = compile_problem(end, exec.spec.compile->limits);
    if (end.verdict == verdict::lost && facts.group.oom_outside)
        end.error = "the host, or the server's sandboxes together, had no memory left, and the kernel ended the compiler";
    auto& report = exec.row.compile.emplace();
    report.status = end.status;
    report.verdict = end.verdict;
    report.exit_code = end.exit_code;
    report.signal = end.signal;
    report.output_truncated = run.compiler->session.truncated();
    report.output = run.compiler->session.take_output();
    if (exited)
        report.wall_ms = rounded_ms(static_cast<std::int64_t>(exited->wall_us));
    if (facts.group.cpu_us)
        report.cpu_ms = rounded_ms(*facts.group.cpu_us);
    else if (exited)
        report.cpu_ms = rounded_ms(static_cast<std::int64_t>(exited->user_us + exited->system_us));
    if (exec.current.lease.group)
        exec.current.before_program = exec.current.lease.group->usage();
    report.cpu_before_us = exec.current.before_program.cpu_us.value_or(0);
    exec.heard.start_failure = facts.fault;
    facts_of_program.cancelled = facts_of_program.cancelled || facts.cancelled;
    if (end.verdict == verdict::lost) {    // the agent had no program yet: it cannot have run
        facts_of_program.fault = "the code could not be compiled: " + end.error;
        facts_of_program.host_fault = attempt_fault::agent_unreachable;
    }
    if (end.status == execution_status::success || facts.cancelled || !facts.fault.empty() || end.verdict == verdict::lost)
        return;
    facts_of_program.compile = std::move(end);
    facts_of_program.can_repeat = false;    // it would fail again
}

}    // namespace caisson

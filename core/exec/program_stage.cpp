#include "core/exec/program_stage.hpp"

#include "core/async/deadline.hpp"
#include "core/async/wait_until.hpp"
#include "core/base/count_guard.hpp"
#include "core/base/elapsed.hpp"
#include "core/exec/interpreter_choice.hpp"
#include "core/exec/program_request.hpp"
#include "core/exec/skill/skill_program.hpp"

#include <algorithm>
#include <csignal>
#include <sys/stat.h>
#include <utility>

namespace caisson {

namespace {

using namespace std::chrono_literals;

/// How often the group's CPU time and memory events are read while at most looked_at_so_often executions run.
constexpr std::chrono::milliseconds look_every = 50ms;
constexpr std::size_t looked_at_so_often = 64;

watched_limits limits_of_program(const execution_spec& spec)
{
    return {.wall_ms = spec.limits.wall_ms,
        .cpu_ms = spec.limits.cpu_ms,
        .ends_at_output_limit = spec.output_limit_action == on_output_limit::kill};
}

program_readings readings_of(const execution& exec, bool wants_usage)
{
    program_readings seen;
    seen.cancel_wanted = exec.cancel_wanted();
    seen.output_cut = exec.was_cut();
    seen.log_failure = exec.log->failure();
    seen.start_heard = exec.heard.start_heard;
    seen.started_at = exec.heard.started_at;
    seen.asked_at = exec.heard.asked_at;
    seen.killed_without_agent = !exec.current.lease.group || exec.current.lease.group->kills_by_itself();
    seen.is_lost = !exec.heard.lost.empty();
    if (wants_usage && exec.current.lease.group)
        seen.used = {exec.used(), exec.sandbox()->disk(), exec.sandbox()->uncounted_bytes(most_uncounted_bytes) >= most_uncounted_bytes};
    return seen;
}

/// All processes are killed, so the streams end. The server waits this long, so many times, for the agent to say that.
constexpr auto streams_grace = 10s;
constexpr int most_rounds = 60;

bool streams_ended_or_lost(const execution& exec) { return exec.streams_ended() || !exec.heard.lost.empty(); }

/// A path that ends with a slash is a directory.
void put_input(protocol::agent_link& link, protocol::exec_number number, input_file file)
{
    constexpr std::uint32_t directory_mode = S_IFDIR | 0755;
    const bool directory = file.path.ends_with('/');
    if (directory)
        file.path.pop_back();
    link.put_file(number, std::move(file.path), directory ? directory_mode : file.mode, std::move(file.content));
}

}    // namespace

void program_stage::start_program(execution& exec)
{
    auto& link = *exec.link();
    exec.listen(std::nullopt);
    if (exec.spec.kind == execution_kind::skill)
        for (auto& file : skill_files(exec.spec))
            put_input(link, exec.number(), std::move(file));
    for (auto& file : std::exchange(exec.spec.files, {}))    // the link keeps them until the agent has them
        put_input(link, exec.number(), std::move(file));
    for (auto& file : std::exchange(exec.current.placed, {}))
        link.put_file(exec.number(), std::move(file.path), file.mode, std::move(file.content));
    link.spawn(exec.number(), spawn_request_for(exec, use_),
        exec.current.lease.group ? exec.current.lease.group->join_descriptors() : std::vector<int>());
    collect_stage_.ask_for_files_at_end(exec);
    const bool may_wait = use_.sources.pool && use_.sources.pool->interpreters;
    if (may_wait && wants_interpreter(exec.spec, argv_on(exec.spec, *use_.sources.find(exec.row.runtime))))
        exec.row.stages.interpreter = "cold";    // unless the agent says otherwise
    exec.phase = run_phase::running;
    exec.heard.started_at = exec.heard.asked_at = use_.time.steady_now();
    exec.current.taken_up = false;
    exec.stdin_bytes.flush(link, exec.number());
}

task<ending_facts> program_stage::run_to_end(execution_ptr exec)
{
    const auto watched = watch_of(*exec);
    co_await supervise(exec, watched);
    auto facts = std::move(watched->facts());
    const auto& heard = exec->heard;
    if (heard.exited) {
        facts.wait_status = heard.exited->wait_status;
        facts.wall_limit = facts.wall_limit || heard.exited->cause == protocol::exit_cause::wall_limit;
        // An earlier server may have ended it in the agent's place.
        const auto longest = std::chrono::milliseconds(exec->spec.limits.wall_ms) + limit_watch::wall_backstop;
        facts.wall_limit = facts.wall_limit || std::chrono::microseconds(heard.exited->wall_us) >= longest;
        const auto cpu_us = static_cast<std::int64_t>(heard.exited->user_us + heard.exited->system_us);
        facts.cpu_limit = facts.cpu_limit || cpu_us >= exec->spec.limits.cpu_ms * 1000;
    } else if (!heard.start_failure.empty()) {
        facts.fault = heard.start_failure;
    } else {
        facts.lost = heard.lost;
        facts.host_to_blame = provider_.agent_was_taken(*exec);
    }
    co_return facts;
}

std::shared_ptr<limit_watch> program_stage::watch_of(const execution& exec) const
{
    const auto first_usage_at = use_.time.steady_now() + (exec.current.taken_up ? 0ms : between_looks());
    return std::make_shared<limit_watch>(limits_of_program(exec.spec), first_usage_at);
}

/// With more executions each is read less often, so that all readings take the same share of the processor.
std::chrono::milliseconds program_stage::between_looks() const
{
    return look_every * std::max<std::size_t>(1, supervised_ / looked_at_so_often);
}

task<> program_stage::supervise(execution_ptr exec, std::shared_ptr<limit_watch> watched)
{
    const count_guard counted(supervised_);
    for (bool is_first = true; !exec->heard.is_over(); is_first = false) {
        const auto seen = exec->changed.version();
        if (!is_first)    // most programs end before the first wait is over, and need no watch
            provider_.keep_watch(exec);
        if (exec->heard.unknown_to_agent) {    // to be compiled first, or its server ended before the start
            exec->heard.unknown_to_agent = false;
            exec->stop_listening();
            if (exec->spec.compile && !exec->cancel_wanted()) {
                const bool compiled = co_await compile_stage_.compile(exec, watched);
                if (!compiled)
                    co_return;
            }
            if (exec->cancel_wanted()) {
                watched->facts().cancelled = true;
                co_return;
            }
            start_program(*exec);
        }
        look(*exec, *watched);
        if (exec->heard.is_over())
            break;
        auto change = exec->changed.wait_past(seen);
        const auto woken = co_await with_deadline(use_.time, use_.time.steady_now() + between_looks(), std::move(change));
        static_cast<void>(woken);    // everything is looked at anyway
    }
}

void program_stage::look(execution& exec, limit_watch& watched)
{
    const auto now = use_.time.steady_now();
    const auto next = watched.look(now, readings_of(exec, watched.wants_usage(now)), between_looks());
    if (next.terminate)
        exec.link()->signal(exec.number(), SIGTERM, protocol::agent_link::target::group);
    if (next.kill) {
        if (exec.current.lease.group)
            exec.current.lease.group->kill();
        exec.link()->signal(exec.number(), SIGKILL, protocol::agent_link::target::sandbox);
    }
    if (!next.give_up.empty())
        exec.give_up(next.give_up);
}

task<> program_stage::drain_streams(execution_ptr exec)
{
    if (is_surely_over(*exec))
        co_return;
    if (exec->current.lease.group)
        exec->current.lease.group->kill();
    if (exec->heard.exited) {
        provider_.keep_watch(exec);
        exec->link()->signal(exec->number(), SIGKILL, protocol::agent_link::target::sandbox);
        co_await hear_streams_out(exec);
    }
    if (exec->sandbox())    // processes that were left may have written
        exec->current.disk_at_end = exec->sandbox()->disk();
}

/// Whether no process is left: the runtime keeps programs in their group, and the group is empty.
bool program_stage::is_surely_over(const execution& exec) const
{
    const auto* const where = use_.sources.find(exec.row.runtime);
    return where != nullptr && where->traits().isolates && exec.heard.exited && exec.streams_ended() && exec.current.lease.group &&
           exec.current.lease.group->is_surely_empty();
}

/// Waits for the ends of both streams. Gives up when no bytes come and all are stored: the agent's windows may hold more until then.
task<> program_stage::hear_streams_out(execution_ptr exec)
{
    const auto& buffer = exec->log->buffer();
    const auto since = use_.time.steady_now();
    for (int rounds = 0; rounds < most_rounds; rounds += buffer.has_unstored() ? 0 : 1) {
        if (buffer.has_unstored() && use_.time.steady_now() >= since + execution_recorder::place_grace)
            recorder_.give_place_up(*exec);
        const auto before = buffer.received(output_stream::stdout_stream) + buffer.received(output_stream::stderr_stream);
        auto streams = wait_until(exec, &streams_ended_or_lost);
        const auto ended = co_await with_deadline(use_.time, use_.time.steady_now() + streams_grace, std::move(streams));
        if (ended.has_value())
            co_return;
        const auto now = buffer.received(output_stream::stdout_stream) + buffer.received(output_stream::stderr_stream);
        if (now == before && !buffer.has_unstored())
            break;
    }
    use_.log.warning("the agent did not end the streams in time", {{"execution_id", exec->row.id.str()}});
}

void program_stage::fill_usage(execution& exec, const ending_facts& facts)
{
    auto& usage = exec.row.usage;
    const auto& buffer = exec.log->buffer();
    usage.output_bytes =
        static_cast<std::int64_t>(buffer.received(output_stream::stdout_stream) + buffer.received(output_stream::stderr_stream));
    usage.memory_peak_bytes = facts.group.memory_peak_bytes;
    usage.pids_peak = facts.group.pids_peak;
    if (facts.group.cpu_us)
        usage.cpu_ms = rounded_ms(*facts.group.cpu_us);
    if (exec.heard.exited) {
        usage.wall_ms = rounded_ms(static_cast<std::int64_t>(exec.heard.exited->wall_us));
        if (!usage.cpu_ms)
            usage.cpu_ms = rounded_ms(static_cast<std::int64_t>(exec.heard.exited->user_us + exec.heard.exited->system_us));
        if (!usage.memory_peak_bytes && exec.heard.exited->max_rss_bytes > 0)
            usage.memory_peak_bytes = static_cast<std::int64_t>(exec.heard.exited->max_rss_bytes);
        exec.row.stages.run_ms = static_cast<double>(exec.heard.exited->wall_us) / 1000.0;
    }
    if (exec.heard.started && !exec.current.taken_up && exec.heard.first_byte_at && *exec.heard.first_byte_at >= exec.heard.started_at)
        exec.row.stages.first_byte_ms = ms_between(exec.heard.started_at, *exec.heard.first_byte_at);
}

}    // namespace caisson

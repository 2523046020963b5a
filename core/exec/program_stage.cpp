#include "core/exec/program_stage.hpp"

#include "core/async/deadline.hpp"
#include "core/async/wait_until.hpp"
#include "core/base/count_guard.hpp"
#include "core/exec/elapsed.hpp"
#include "core/exec/parking.hpp"
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

program_readings readings_of(const execution& one, bool wants_usage)
{
    program_readings seen;
    seen.cancel_wanted = one.cancel_wanted();
    seen.output_cut = one.was_cut();
    seen.log_failure = one.log->failure();
    seen.start_heard = one.heard.start_heard;
    seen.started_at = one.heard.started_at;
    seen.asked_at = one.heard.asked_at;
    seen.killed_without_agent = !one.current.group || one.current.group->kills_by_itself();
    seen.is_lost = !one.heard.lost.empty();
    if (wants_usage && one.current.group)
        seen.used = {one.used(), one.sandbox()->disk(), one.sandbox()->uncounted_bytes(most_uncounted_bytes) >= most_uncounted_bytes};
    return seen;
}

/// All processes are killed, so the streams end. The server waits this long, so many times, for the agent to say that.
constexpr auto streams_grace = 10s;
constexpr int most_rounds = 60;

bool streams_ended_or_lost(const execution& one) { return one.streams_ended() || !one.heard.lost.empty(); }

/// A path that ends with a slash is a directory.
void put_input(protocol::agent_link& link, input_file file)
{
    constexpr std::uint32_t directory_mode = S_IFDIR | 0755;
    const bool directory = file.path.ends_with('/');
    if (directory)
        file.path.pop_back();
    link.put_file(only_execution, std::move(file.path), directory ? directory_mode : file.mode, std::move(file.content));
}

}    // namespace

void program_stage::start_program(execution& one)
{
    auto& link = *one.link();
    one.listen(std::nullopt);
    if (one.spec.kind == execution_kind::skill)
        for (auto& file : skill_files(one.spec))
            put_input(link, std::move(file));
    for (auto& file : std::exchange(one.spec.files, {}))    // the link keeps them until the agent has them
        put_input(link, std::move(file));
    for (auto& file : std::exchange(one.current.placed, {}))
        link.put_file(only_execution, std::move(file.path), file.mode, std::move(file.content));
    link.spawn(
        only_execution, spawn_request_for(one, use_), one.current.group ? one.current.group->join_descriptors() : std::vector<int>());
    collect_stage_.ask_for_files_at_end(one);
    const bool may_wait = use_.sources.pool && use_.sources.pool->interpreters;
    if (may_wait && wants_interpreter(one.spec, argv_on(one.spec, *use_.sources.runtimes.find(one.row.runtime)->second)))
        one.row.stages.interpreter = "cold";    // unless the agent says otherwise
    one.phase = run_phase::running;
    one.heard.started_at = one.heard.asked_at = use_.time.steady_now();
    one.current.taken_up = false;
    one.stdin_bytes.flush(link, only_execution);
}

task<ending_facts> program_stage::run_to_end(execution_ptr one)
{
    const auto watched = watch_of(*one);
    co_await supervise(one, watched);
    auto facts = std::move(watched->facts());
    const auto& heard = one->heard;
    if (heard.exited) {
        facts.wait_status = heard.exited->wait_status;
        facts.wall_limit = facts.wall_limit || heard.exited->cause == protocol::exit_cause::wall_limit;
        // An earlier server may have ended it in the agent's place.
        const auto longest = std::chrono::milliseconds(one->spec.limits.wall_ms) + limit_watch::wall_backstop;
        facts.wall_limit = facts.wall_limit || std::chrono::microseconds(heard.exited->wall_us) >= longest;
        const auto cpu_us = static_cast<std::int64_t>(heard.exited->user_us + heard.exited->system_us);
        facts.cpu_limit = facts.cpu_limit || cpu_us >= one->spec.limits.cpu_ms * 1000;
    } else if (!heard.start_failure.empty()) {
        facts.fault = heard.start_failure;
    } else {
        facts.lost = heard.lost;
        facts.host_to_blame = sandboxes_.agent_was_taken(*one);
    }
    co_return facts;
}

std::shared_ptr<limit_watch> program_stage::watch_of(const execution& one) const
{
    const auto first_usage_at = use_.time.steady_now() + (one.current.taken_up ? 0ms : between_looks());
    return std::make_shared<limit_watch>(limits_of_program(one.spec), first_usage_at);
}

/// With more executions each is read less often, so that all readings take the same share of the processor.
std::chrono::milliseconds program_stage::between_looks() const
{
    return look_every * std::max<std::size_t>(1, supervised_ / looked_at_so_often);
}

task<> program_stage::supervise(execution_ptr one, std::shared_ptr<limit_watch> watched)
{
    const count_guard counted(supervised_);
    for (bool is_first = true; !one->heard.is_over(); is_first = false) {
        const auto seen = one->changed.version();
        if (!is_first)    // most programs end before the first wait is over, and need no watch
            sandboxes_.keep_watch(one);
        if (one->heard.unknown_to_agent) {    // to be compiled first, or its server ended before the start
            one->heard.unknown_to_agent = false;
            one->stop_listening();
            if (one->spec.compile && !one->cancel_wanted()) {
                const bool compiled = co_await compile_stage_.compile(one, watched);
                if (!compiled)
                    co_return;
            }
            if (one->cancel_wanted()) {
                watched->facts().cancelled = true;
                co_return;
            }
            start_program(*one);
        }
        look(*one, *watched);
        if (one->heard.is_over())
            break;
        auto change = one->changed.wait_past(seen);
        const auto woken = co_await with_deadline(use_.time, use_.time.steady_now() + between_looks(), std::move(change));
        static_cast<void>(woken);    // everything is looked at anyway
    }
}

void program_stage::look(execution& one, limit_watch& watched)
{
    const auto now = use_.time.steady_now();
    const auto next = watched.look(now, readings_of(one, watched.wants_usage(now)), between_looks());
    if (next.terminate)
        one.link()->signal(only_execution, SIGTERM, protocol::agent_link::target::group);
    if (next.kill) {
        if (one.current.group)
            one.current.group->kill();
        one.link()->signal(only_execution, SIGKILL, protocol::agent_link::target::sandbox);
    }
    if (!next.give_up.empty())
        one.give_up(next.give_up);
}

task<> program_stage::drain_streams(execution_ptr one)
{
    if (is_surely_over(*one))
        co_return;
    if (one->current.group)
        one->current.group->kill();
    if (one->heard.exited) {
        sandboxes_.keep_watch(one);
        one->link()->signal(only_execution, SIGKILL, protocol::agent_link::target::sandbox);
        co_await hear_streams_out(one);
    }
    if (one->sandbox())    // processes that were left may have written
        one->current.disk_at_end = one->sandbox()->disk();
}

/// Whether no process is left: the runtime keeps programs in their group, and the group is empty.
bool program_stage::is_surely_over(const execution& one) const
{
    const auto where = use_.sources.runtimes.find(one.row.runtime);
    return where != use_.sources.runtimes.end() && where->second->traits().isolates && one.heard.exited && one.streams_ended() &&
           one.current.group && one.current.group->is_surely_empty();
}

/// Waits for the ends of both streams. Gives up when no bytes come and all are stored: the agent's windows may hold more until then.
task<> program_stage::hear_streams_out(execution_ptr one)
{
    const auto& buffer = one->log->buffer();
    const auto since = use_.time.steady_now();
    for (int rounds = 0; rounds < most_rounds; rounds += buffer.has_unstored() ? 0 : 1) {
        if (buffer.has_unstored() && use_.time.steady_now() >= since + execution_recorder::place_grace)
            recorder_.give_place_up(*one);
        const auto before = buffer.received(output_stream::stdout_stream) + buffer.received(output_stream::stderr_stream);
        auto streams = wait_until(one, &streams_ended_or_lost);
        const auto ended = co_await with_deadline(use_.time, use_.time.steady_now() + streams_grace, std::move(streams));
        if (ended.has_value())
            co_return;
        const auto now = buffer.received(output_stream::stdout_stream) + buffer.received(output_stream::stderr_stream);
        if (now == before && !buffer.has_unstored())
            break;
    }
    use_.log.warning("the agent did not end the streams in time", {{"execution_id", one->row.id.str()}});
}

void program_stage::fill_usage(execution& one, const ending_facts& facts)
{
    auto& usage = one.row.usage;
    const auto& buffer = one.log->buffer();
    usage.output_bytes =
        static_cast<std::int64_t>(buffer.received(output_stream::stdout_stream) + buffer.received(output_stream::stderr_stream));
    usage.memory_peak_bytes = facts.group.memory_peak_bytes;
    usage.pids_peak = facts.group.pids_peak;
    if (facts.group.cpu_us)
        usage.cpu_ms = rounded_ms(*facts.group.cpu_us);
    if (one.heard.exited) {
        usage.wall_ms = rounded_ms(static_cast<std::int64_t>(one.heard.exited->wall_us));
        if (!usage.cpu_ms)
            usage.cpu_ms = rounded_ms(static_cast<std::int64_t>(one.heard.exited->user_us + one.heard.exited->system_us));
        if (!usage.memory_peak_bytes && one.heard.exited->max_rss_bytes > 0)
            usage.memory_peak_bytes = static_cast<std::int64_t>(one.heard.exited->max_rss_bytes);
        one.row.stages.run_ms = static_cast<double>(one.heard.exited->wall_us) / 1000.0;
    }
    if (one.heard.started && !one.current.taken_up && one.heard.first_byte_at && *one.heard.first_byte_at >= one.heard.started_at)
        one.row.stages.first_byte_ms = ms_between(one.heard.started_at, *one.heard.first_byte_at);
}

}    // namespace caisson

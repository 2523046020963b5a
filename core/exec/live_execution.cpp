#include "core/exec/live_execution.hpp"

#include "core/exec/collect/files_at_end.hpp"
#include "core/exec/compile/compiler_process.hpp"
#include "core/exec/record/record.hpp"

#include <algorithm>
#include <cstring>

namespace caisson {

namespace {

output_stream stream_of(protocol::stream_number stream)
{
    return stream == protocol::stream_number::stdout_stream ? output_stream::stdout_stream : output_stream::stderr_stream;
}

std::size_t number_of(output_stream stream) { return stream == output_stream::stdout_stream ? 0 : 1; }

}    // namespace

live_execution::live_execution(
    io_executor executor, timers& time, logger& logs, execution_row the_row, execution_spec the_spec, std::shared_ptr<live_log> the_log)
    : row(std::move(the_row))
    , spec(std::move(the_spec))
    , log(std::move(the_log))
    , changed(executor)
    , background(executor, logs)
    , first_began(time.steady_now())
    , next_attempt_at(first_began)
    , accepted_at(time.steady_now())
    , asked_at(accepted_at)
    , started_at(accepted_at)
    , exited_at(accepted_at)
    , time_(time)
{
}

live_execution::~live_execution()
{
    if (const auto to = link())
        to->detach(only_execution);
}

void live_execution::give_up(std::string why)
{
    lost = std::move(why);
    if (home)
        home->give_up();
}

bool live_execution::streams_ended() const { return ended_[0] && (row.pty || ended_[1]); }

void live_execution::begin_attempt()
{
    auto& fresh = row.attempts.emplace_back();
    fresh.number = static_cast<int>(row.attempts.size());
    fresh.started_at_ms = time_.now_ms();
    fresh.stdout_base = log->buffer().received(output_stream::stdout_stream);
    fresh.stderr_base = log->buffer().received(output_stream::stderr_stream);
    row.next_attempt_at_ms.reset();
    refused_at.reset();
    if (fresh.number == 1)
        first_began = time_.steady_now();
    continue_attempt();
}

void live_execution::continue_attempt()
{
    base_ = {attempt().stdout_base, attempt().stderr_base};
    ended_ = {};
    acknowledged_ = {};
    before_program = {};
    if (row.compile)    // by an earlier server
        before_program.cpu_us = row.compile->cpu_before_us;
}

void live_execution::forget_attempt()
{
    const bool ran = started;
    started = start_heard = taken_up = sandbox_gone = agent_died = unknown_to_agent = false;
    exited.reset();
    start_failure.clear();
    lost.clear();
    first_byte_at.reset();
    image.reset();
    compilers.clear();
    at_end.reset();
    stdin_known = true;
    stdin_taken = 0;
    stdin_end_taken = false;
    if (!ran)
        return;
    stdin_end = stdin_of_request_;    // what came later was not taken: see stdin_spent()
    stdin_closed = !spec.stdin_open;
    early_stdin_.clear();
    request_stdin_held_ = false;
}

group_usage live_execution::used() const
{
    auto now = group->usage();
    if (now.cpu_us)
        now.cpu_us = std::max<std::int64_t>(0, *now.cpu_us - before_program.cpu_us.value_or(0));
    now.oom_kills = std::max<std::int64_t>(0, now.oom_kills - before_program.oom_kills);
    now.oom_outside = now.oom_outside && now.oom_kills > 0;
    now.pids_refused = std::max<std::int64_t>(0, now.pids_refused - before_program.pids_refused);
    return now;
}

bool live_execution::stdin_spent() const
{
    const bool given_later = stdin_end > stdin_of_request_ || stdin_closed;
    return spec.stdin_open && (!stdin_known || (started && given_later));
}

std::uint64_t live_execution::received_of_attempt(output_stream stream) const
{
    const auto base = base_[number_of(stream)];
    return std::max(log->buffer().received(stream), base) - base;    // bytes that were only shown are lost with their server
}

bool live_execution::was_cut() const
{
    return log->buffer().was_cut(output_stream::stdout_stream) || log->buffer().was_cut(output_stream::stderr_stream);
}

void live_execution::acknowledge(std::uint64_t at_least)
{
    const auto to = link();
    if (!to)
        return;
    for (auto stream : {protocol::stream_number::stdout_stream, protocol::stream_number::stderr_stream}) {
        auto& before = acknowledged_[stream == protocol::stream_number::stdout_stream ? 0 : 1];
        const auto in_log = log->buffer().acknowledgeable(stream_of(stream));
        const auto base = base_[number_of(stream_of(stream))];
        const auto safe = std::max(in_log, base) - base;
        if (safe < before + at_least)
            continue;
        before = safe;
        to->acknowledge(only_execution, stream, safe);
    }
}

void live_execution::give_request_stdin()
{
    auto bytes = std::exchange(spec.stdin_data, {});
    if (std::exchange(request_stdin_held_, true))
        return;
    if (stdin_end == 0) {
        stdin_end = stdin_of_request_ = bytes.size();
        stdin_closed = stdin_closed || !spec.stdin_open;
    }
    early_stdin_.insert(early_stdin_.begin(), {0, std::move(bytes)});
}

void live_execution::give_stdin(shared_bytes bytes, bool last)
{
    const auto offset = stdin_end;
    stdin_end += bytes.size();
    stdin_closed = stdin_closed || last;
    const bool can_send = phase == run_phase::running && link();
    if (!started || !can_send)
        early_stdin_.emplace_back(offset, bytes);
    if (!can_send)
        return;
    if (!bytes.empty())
        link()->send_stdin(only_execution, offset, std::move(bytes));
    if (last)
        link()->end_stdin(only_execution, stdin_end);
}

void live_execution::flush_stdin()
{
    const auto to = link();
    for (const auto& [offset, bytes] : early_stdin_)
        if (!bytes.empty())
            to->send_stdin(only_execution, offset, bytes);
    if (stdin_closed)
        to->end_stdin(only_execution, stdin_end);
}

void live_execution::on_started(std::int32_t, std::uint64_t monotonic_ns)
{
    const auto now = time_.steady_now();
    const steady_time told{std::chrono::duration_cast<steady_time::duration>(std::chrono::nanoseconds(monotonic_ns))};
    // The agent's kernel is this one's, but its word is not taken for a time before the sandbox or in the future.
    if (!start_heard)
        started_at = taken_up ? std::clamp(told, std::min(started_at, now), now) : now;
    start_heard = true;
    stdin_known = true;
    early_stdin_.clear();
    request_stdin_held_ = false;
    wake();
    if (started)
        return;    // heard again after a restart
    started = true;
    row.status = execution_status::running;
    row.started_at_ms = time_.now_ms();
    log->control(event_kind::state, state_body(row));    // before the first output
}

void live_execution::on_output(protocol::stream_number stream, std::uint64_t offset, shared_bytes bytes)
{
    if (!first_byte_at)
        first_byte_at = time_.steady_now();
    const bool cut_before = was_cut();
    log->output(stream_of(stream), base_[number_of(stream_of(stream))] + offset, std::move(bytes));
    acknowledge(acknowledge_every);
    const bool wants_record = !recorded && !log->may_be_taken_whole();
    if (wants_record || (!cut_before && was_cut()))    // on_output_limit may want an end
        wake();
}

void live_execution::on_gap(protocol::stream_number stream, std::uint64_t, std::uint64_t missing) { log->gap(stream_of(stream), missing); }

void live_execution::on_eof(protocol::stream_number stream, std::uint64_t)
{
    ended_[number_of(stream_of(stream))] = true;    // the log's streams end with the last attempt
    wake();
}

void live_execution::on_stdin_taken(std::uint64_t offset)
{
    stdin_taken = std::max(stdin_taken, offset);
    stdin_end = std::max(stdin_end, offset);    // after a restart: what an earlier server had sent
    wake();
}

void live_execution::on_stdin_ended()
{
    stdin_closed = true;    // perhaps by an earlier server
    stdin_end_taken = true;
    wake();
}

void live_execution::on_exited(protocol::exit_report report)
{
    if (exited)
        return;
    exited = report;
    exited_at = time_.steady_now();
    wake();
}

void live_execution::on_start_failed(int code, std::string step)
{
    std::string what = step;
    if (step == "execve")
        what = "\"" + spec.argv.front().substr(0, 256) + "\"";
    else if (step == "chdir")
        what = "the directory \"" + spec.cwd.substr(0, 256) + "\"";
    start_failure = "the program could not be started: " + what + ": " + std::strerror(code);
    stdin_known = true;
    wake();
}

void live_execution::on_unknown()
{
    if (started)
        lost = "the agent does not know the program any more";
    else
        unknown_to_agent = true;
    stdin_known = true;
    wake();
}

}    // namespace caisson

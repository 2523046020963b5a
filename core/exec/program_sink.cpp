#include "core/exec/program_sink.hpp"

#include "core/exec/execution.hpp"
#include "core/exec/record/record.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

namespace caisson {

namespace {

output_stream stream_of(protocol::stream_number stream)
{
    return stream == protocol::stream_number::stdout_stream ? output_stream::stdout_stream : output_stream::stderr_stream;
}

std::size_t number_of(output_stream stream) { return stream == output_stream::stdout_stream ? 0 : 1; }

}    // namespace

void program_sink::begin(std::uint64_t stdout_base, std::uint64_t stderr_base)
{
    bases_ = {stdout_base, stderr_base};
    ended_ = {};
    acknowledged_ = {};
}

bool program_sink::streams_ended() const { return ended_[0] && (of_.row.pty || ended_[1]); }

std::uint64_t program_sink::received(output_stream stream) const
{
    const auto base = bases_[number_of(stream)];
    return std::max(of_.log->buffer().received(stream), base) - base;    // bytes that were only shown are lost with their server
}

void program_sink::acknowledge(std::uint64_t at_least)
{
    const auto to = of_.link();
    if (!to)
        return;
    for (auto stream : {protocol::stream_number::stdout_stream, protocol::stream_number::stderr_stream}) {
        auto& before = acknowledged_[number_of(stream_of(stream))];
        const auto in_log = of_.log->buffer().acknowledgeable(stream_of(stream));
        const auto base = bases_[number_of(stream_of(stream))];
        const auto safe = std::max(in_log, base) - base;
        if (safe < before + at_least)
            continue;
        before = safe;
        to->acknowledge(of_.number(), stream, safe);
    }
}

void program_sink::on_was_parked() { of_.row.stages.interpreter = "warm"; }

void program_sink::on_started(std::int32_t, std::uint64_t monotonic_ns)
{
    auto& heard = of_.heard;
    const auto now = time_.steady_now();
    const steady_time told{std::chrono::duration_cast<steady_time::duration>(std::chrono::nanoseconds(monotonic_ns))};
    // The agent's kernel is this one's, but its word is not taken for a time before the sandbox or in the future.
    if (!heard.start_heard)
        heard.started_at = of_.current.taken_up ? std::clamp(told, std::min(heard.started_at, now), now) : now;
    heard.start_heard = true;
    of_.stdin_bytes.note_started();
    of_.wake();
    if (heard.started)
        return;    // heard again after a restart
    heard.started = true;
    of_.row.status = execution_status::running;
    of_.row.started_at_ms = time_.now_ms();
    of_.log->control(event_kind::state, state_body(of_.row));    // before the first output
}

void program_sink::on_output(protocol::stream_number stream, std::uint64_t offset, shared_bytes bytes)
{
    if (!of_.heard.first_byte_at)
        of_.heard.first_byte_at = time_.steady_now();
    const bool cut_before = of_.was_cut();
    of_.log->output(stream_of(stream), bases_[number_of(stream_of(stream))] + offset, std::move(bytes));
    acknowledge(acknowledge_every);
    const bool wants_record = !of_.record.recorded && !of_.log->may_be_taken_whole();
    if (wants_record || (!cut_before && of_.was_cut()))    // on_output_limit may want an end
        of_.wake();
}

void program_sink::on_gap(protocol::stream_number stream, std::uint64_t, std::uint64_t missing)
{
    of_.log->gap(stream_of(stream), missing);
}

void program_sink::on_eof(protocol::stream_number stream, std::uint64_t)
{
    ended_[number_of(stream_of(stream))] = true;    // the log's streams end with the last attempt
    of_.wake();
}

void program_sink::on_stdin_taken(std::uint64_t offset)
{
    of_.stdin_bytes.note_taken(offset);
    of_.wake();
}

void program_sink::on_stdin_ended()
{
    of_.stdin_bytes.note_end_taken();
    of_.wake();
}

void program_sink::on_exited(protocol::exit_report report)
{
    if (of_.heard.exited)
        return;
    of_.heard.exited = report;
    of_.heard.exited_at = time_.steady_now();
    of_.wake();
}

void program_sink::on_start_failed(int code, std::string step)
{
    std::string what = step;
    if (step == "execve")
        what = "\"" + of_.spec.argv.front().substr(0, 256) + "\"";
    else if (step == "chdir")
        what = "the directory \"" + of_.spec.cwd.substr(0, 256) + "\"";
    of_.heard.start_failure = "the program could not be started: " + what + ": " + std::strerror(code);
    of_.stdin_bytes.note_known();
    of_.wake();
}

void program_sink::on_unknown()
{
    if (of_.heard.started)
        of_.heard.lost = "the agent does not know the program any more";
    else
        of_.heard.unknown_to_agent = true;
    of_.stdin_bytes.note_known();
    of_.wake();
}

}    // namespace caisson

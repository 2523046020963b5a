#include "core/protocol/agent_execution.hpp"

#include <utility>

namespace caisson::protocol {

namespace {

/// Small enough for streams and executions of a sandbox to take turns, large enough for a gigabyte a second.
constexpr std::size_t output_frame_bytes = 128 * 1024;

}    // namespace

void agent_execution::set_started(const started& what, bool pty)
{
    phase_ = exec_phase::running;
    started_ = what;
    started_due_ = true;
    if (pty)
        stderr_.end();
}

void agent_execution::set_failed(int code, std::string step)
{
    phase_ = exec_phase::failed;
    error_code_ = code;
    error_step_ = std::move(step);
    end_due_ = true;
}

void agent_execution::set_exited(const exit_report& report)
{
    phase_ = exec_phase::exited;
    exited_ = report;
    end_due_ = true;
}

bool agent_execution::take_signal(std::uint64_t order)
{
    if (order == 0)
        return true;
    orders_due_ = true;
    const bool fresh = order > last_signal_;
    last_signal_ = fresh ? order : last_signal_;
    return fresh;
}

void agent_execution::rest()
{
    stdout_.rest();
    stderr_.rest();
    input_.rest();
}

void agent_execution::take_stdin_end(std::uint64_t end)
{
    input_.receive_end(end);
    orders_due_ = true;
}

void agent_execution::resume(const resume_point& server)
{
    joined_ = true;
    stdout_.resume(server.stdout_committed);
    stderr_.resume(server.stderr_committed);
    input_.ack_sent();    // STATE contains the acknowledgement
    state_due_ = true;
    orders_due_ = true;
    started_due_ = phase_ == exec_phase::running || phase_ == exec_phase::exited;
    end_due_ = phase_ == exec_phase::exited || phase_ == exec_phase::failed;
}

void agent_execution::emit_control(std::string& out, std::uint32_t version)
{
    if (!joined_)
        return;
    if (std::exchange(state_due_, false))
        encode_frame(out, number_, state());
    if (std::exchange(orders_due_, false) && version >= first_with_orders)
        encode_frame(out, number_, orders_taken{last_signal_, input_.end_known()});
    if (std::exchange(started_due_, false))
        encode_frame(out, number_, started{started_.pid, started_.monotonic_ns, started_.was_parked && version >= first_with_parking});
    if (phase_ != exec_phase::failed && input_.ack_due()) {
        encode_frame(out, number_, stdin_ack{input_.taken(), input_.limit()});
        input_.ack_sent();
    }
    emit_eof(out, stream_number::stdout_stream);
    emit_eof(out, stream_number::stderr_stream);
    if (!std::exchange(end_due_, false))
        return;
    if (phase_ == exec_phase::exited)
        encode_frame(out, number_, exited_);
    else
        encode_frame(out, number_, start_error{error_code_, error_step_});
}

bool agent_execution::emit_output(std::string& out)
{
    if (!joined_)
        return false;
    const bool first = emit_output(out, stream_number::stdout_stream);
    const bool second = emit_output(out, stream_number::stderr_stream);
    return first || second;
}

bool agent_execution::emit_output(std::string& out, stream_number stream)
{
    auto& window = output(stream);
    auto bytes = window.unsent(output_frame_bytes);
    if (bytes.empty())
        return false;
    bytes = bytes.substr(0, chunk_length(bytes));
    encode_frame(out, number_, output_chunk{stream, window.next_offset(), bytes});
    out.append(bytes);
    out.push_back(frame_end);
    window.sent(bytes.size());
    emit_eof(out, stream);
    return true;
}

void agent_execution::emit_eof(std::string& out, stream_number stream)
{
    auto& window = output(stream);
    if (!window.eof_due())
        return;
    encode_frame(out, number_, stream_end{stream, window.end_offset()});
    window.eof_sent();
}

exec_state agent_execution::state() const
{
    return {phase_, stdout_.base(), stdout_.end_offset(), stderr_.base(), stderr_.end_offset(), input_.taken(), input_.limit()};
}

}    // namespace caisson::protocol

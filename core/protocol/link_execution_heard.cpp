#include "core/protocol/link_execution.hpp"

#include <algorithm>
#include <utility>

/// The receiving half of link_execution. A sink may detach from within any call to it.
namespace caisson::protocol {

bool link_execution::on_frame(const frame_view& frame)
{
    switch (frame.type) {
    case frame_type::state: {
        exec_state state;
        return decode(frame.body, state) && on_state(state);
    }
    case frame_type::started: {
        started what;
        if (!decode(frame.body, what))
            return false;
        confirm();
        if (!std::exchange(started_, true) && sink_) {
            if (what.was_parked)
                sink_->on_was_parked();
            if (sink_)
                sink_->on_started(what.pid, what.monotonic_ns);
        }
        return true;
    }
    case frame_type::output: {
        output_chunk chunk;
        return decode(frame.body, chunk) && on_output(chunk);
    }
    case frame_type::eof: {
        stream_end end;
        return decode(frame.body, end) && on_end(end);
    }
    case frame_type::stdin_ack: {
        stdin_ack ack;
        return decode(frame.body, ack) && on_stdin_ack(ack);
    }
    case frame_type::orders: {
        orders_taken taken;
        return decode(frame.body, taken) && on_orders(taken);
    }
    case frame_type::exited: {
        exit_report report;
        if (!decode(frame.body, report))
            return false;
        if (!std::exchange(exited_, true) && sink_)
            sink_->on_exited(report);
        return true;
    }
    case frame_type::error: {
        start_error what;
        if (!decode(frame.body, what))
            return false;
        confirm();
        if (!std::exchange(exited_, true) && sink_)
            sink_->on_start_failed(what.code, std::string(what.step));
        return true;
    }
    default: return false;
    }
}

bool link_execution::on_state(const exec_state& state)
{
    if (stage_ != stage::asked)    // the answer to a repeated SPAWN
        return true;
    if (state.phase != exec_phase::unknown) {
        stage_ = stage::joined;
        confirm();
        if (!skip_to(stream_number::stdout_stream, state.stdout_base) || !skip_to(stream_number::stderr_stream, state.stderr_base))
            return false;
        return on_stdin_ack({state.stdin_taken, state.stdin_limit});
    }
    if (spawn_wanted_) {    // SPAWN was lost with the connection
        known_to_agent_ = false;
        connected();
        return true;
    }
    signals_.clear();    // the agent cannot deliver them
    signals_said_ = 0;
    if (sink_)
        sink_->on_unknown();
    return true;
}

std::uint64_t link_execution::stream_state::held() const
{
    const auto missing = gap_end > acknowledged ? std::min(gap, gap_end - acknowledged) : 0;
    return received - acknowledged - missing;
}

/// False for more unacknowledged output than the window: an agent cannot hold more.
bool link_execution::on_output(const output_chunk& chunk)
{
    if (!skip_to(chunk.stream, chunk.offset))
        return false;
    auto& state = of(chunk.stream);
    const auto had = state.received - chunk.offset;
    if (had >= chunk.bytes.size())
        return true;
    if (state.ended)
        return false;
    const auto offset = state.received;
    const auto fresh = chunk.bytes.substr(had);
    if (state.held() + fresh.size() > stream_window_bytes)
        return false;
    state.received += fresh.size();
    if (sink_)
        sink_->on_output(chunk.stream, offset, shared_bytes(std::string(fresh)));
    return true;
}

bool link_execution::on_end(const stream_end& end)
{
    if (end.end < of(end.stream).received || !skip_to(end.stream, end.end))
        return false;
    if (!std::exchange(of(end.stream).ended, true) && sink_)
        sink_->on_eof(end.stream, end.end);
    return true;
}

bool link_execution::on_stdin_ack(const stdin_ack& ack)
{
    if (input_.acknowledge(ack.taken, ack.limit) && sink_)
        sink_->on_stdin_taken(ack.taken);
    return true;
}

/// Drops confirmed signals; the agent takes them in the order of their numbers.
bool link_execution::on_orders(const orders_taken& taken)
{
    last_order_ = orders_known_ ? last_order_ : std::max(last_order_, taken.signals);
    orders_known_ = true;
    while (!signals_.empty() && signals_.front().order != 0 && signals_.front().order <= taken.signals) {
        signals_.pop_front();
        signals_said_ -= signals_said_ > 0 ? 1 : 0;
    }
    if (taken.stdin_ended && !std::exchange(stdin_end_heard_, true) && sink_)
        sink_->on_stdin_ended();
    return true;
}

/// Continues the stream at `offset`; the bytes between are lost. False if the stream has ended, or if an earlier gap is not yet
/// acknowledged: an agent drops only acknowledged bytes.
bool link_execution::skip_to(stream_number stream, std::uint64_t offset)
{
    auto& state = of(stream);
    if (offset <= state.received)
        return true;
    if (state.ended || state.acknowledged < state.gap_end)
        return false;
    const auto from = std::exchange(state.received, offset);
    state.gap = offset - from;
    state.gap_end = offset;
    if (sink_)
        sink_->on_gap(stream, from, offset - from);
    return true;
}

}    // namespace caisson::protocol

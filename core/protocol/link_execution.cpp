#include "core/protocol/link_execution.hpp"

#include <utility>

namespace caisson::protocol {

link_execution::link_execution(exec_number number, execution_sink& sink, std::optional<resume_point> resume)
    : number_(number)
    , reports_(sink)
    , known_to_agent_(resume.has_value())
    , input_(resume ? resume->stdin_sent : 0)
    , stdout_(resume ? resume->stdout_committed : 0)
    , stderr_(resume ? resume->stderr_committed : 0)
    , signals_(resume ? signal_numbers::unknown : signal_numbers::known)
{
}

void link_execution::resize(const resize_order& order)
{
    resize_ = order;
    resize_due_ = true;
}

void link_execution::report_refusal()
{
    if (!is_refused())
        return;
    confirm();
    reports_.on_start_failed(start_.refused()->code, start_.refused()->step);
}

/// The agent has the SPAWN and its files; they are not sent again.
void link_execution::confirm()
{
    known_to_agent_ = true;
    start_.confirm();
}

void link_execution::connected()
{
    stage_ = stage::idle;
    start_.restart();
    stdout_.restart();
    stderr_.restart();
    input_.restart(0);
    signals_.restart();
    resize_due_ = resize_.has_value();
}

link_execution::filled link_execution::fill(frame_batch& batch, bool carries_descriptors, std::uint32_t version)
{
    if (start_.refused())
        return filled::nothing;
    if (stage_ == stage::idle)
        return fill_start(batch, carries_descriptors);
    const bool orders = fill_orders(batch, version);
    const bool input = stage_ == stage::joined && fill_input(batch, version);
    return orders || input ? filled::something : filled::nothing;
}

link_execution::filled link_execution::fill_start(frame_batch& batch, bool carries_descriptors)
{
    if (known_to_agent_) {
        encode_frame(batch.text(), number_, resume_point{stdout_.acknowledged(), stderr_.acknowledged(), input_.taken()});
        stage_ = stage::asked;
        return filled::something;
    }
    if (start_.fill_file(batch, number_))
        return filled::something;
    if (!start_.has_spawn())
        return filled::nothing;
    if (carries_descriptors && start_.has_descriptors() && !batch.empty())
        return filled::needs_new_batch;
    fill_spawn(batch, carries_descriptors);
    return filled::something;
}

void link_execution::fill_spawn(frame_batch& batch, bool carries_descriptors)
{
    if (!start_.stdin_open())
        input_.finish_here();
    start_.fill_spawn(batch, number_, carries_descriptors);
    stage_ = stage::joined;
    known_to_agent_ = true;
    input_.restart(stream_window_bytes);
}

bool link_execution::fill_orders(frame_batch& batch, std::uint32_t version)
{
    const auto before = batch.size();
    for (const auto stream : {stream_number::stdout_stream, stream_number::stderr_stream})
        if (const auto end = of(stream).take_acknowledgement())
            encode_frame(batch.text(), number_, acknowledgement{stream, *end});
    signals_.fill(batch.text(), number_, version);
    if (std::exchange(resize_due_, false))
        encode_frame(batch.text(), number_, *resize_);
    return batch.size() > before;
}

bool link_execution::fill_input(frame_batch& batch, std::uint32_t version)
{
    std::uint64_t offset = 0;
    auto part = input_.next(offset);
    const bool some = !part.empty();
    if (some) {
        encode_frame(batch.text(), number_, stdin_chunk{offset, part.view()});
        batch.finish_frame(std::move(part));
    }
    const bool ends = input_.take_end();
    if (ends)
        encode_frame(batch.text(), number_, stdin_end{input_.end()});
    if (ends && version < first_with_orders)
        reports_.on_stdin_ended();    // such an agent does not confirm
    return some || ends;
}

template <class T>
bool link_execution::hear(std::string_view body)
{
    T what;
    return decode(body, what) && on(what);
}

bool link_execution::on_frame(const frame_view& frame)
{
    switch (frame.type) {
    case frame_type::state: return hear<exec_state>(frame.body);
    case frame_type::started: return hear<started>(frame.body);
    case frame_type::output: return hear<output_chunk>(frame.body);
    case frame_type::eof: return hear<stream_end>(frame.body);
    case frame_type::stdin_ack: return hear<stdin_ack>(frame.body);
    case frame_type::orders: return hear<orders_taken>(frame.body);
    case frame_type::exited: return hear<exit_report>(frame.body);
    case frame_type::error: return hear<start_error>(frame.body);
    default: return false;
    }
}

bool link_execution::on(const exec_state& state)
{
    if (stage_ != stage::asked)    // the answer to a repeated SPAWN
        return true;
    if (state.phase != exec_phase::unknown) {
        stage_ = stage::joined;
        confirm();
        if (!skip_to(stream_number::stdout_stream, state.stdout_base) || !skip_to(stream_number::stderr_stream, state.stderr_base))
            return false;
        return on(stdin_ack{state.stdin_taken, state.stdin_limit});
    }
    if (start_.has_spawn()) {    // SPAWN was lost with the connection
        known_to_agent_ = false;
        connected();
        return true;
    }
    signals_.clear();    // the agent cannot deliver them
    reports_.on_unknown();
    return true;
}

bool link_execution::on(const started& what)
{
    confirm();
    reports_.on_started(what);
    return true;
}

bool link_execution::on(const output_chunk& chunk)
{
    if (!skip_to(chunk.stream, chunk.offset))
        return false;
    auto& stream = of(chunk.stream);
    const auto fresh = stream.take(chunk.offset, chunk.bytes);
    if (!fresh)
        return false;
    if (!fresh->empty())
        reports_.on_output(chunk.stream, stream.received() - fresh->size(), *fresh);
    return true;
}

bool link_execution::on(const stream_end& end)
{
    if (end.end < of(end.stream).received() || !skip_to(end.stream, end.end))
        return false;
    if (of(end.stream).finish())
        reports_.on_eof(end.stream, end.end);
    return true;
}

bool link_execution::on(const stdin_ack& ack)
{
    if (input_.acknowledge(ack.taken, ack.limit))
        reports_.on_stdin_taken(ack.taken);
    return true;
}

bool link_execution::on(const orders_taken& taken)
{
    signals_.confirm(taken.signals);
    if (taken.stdin_ended)
        reports_.on_stdin_ended();
    return true;
}

bool link_execution::on(const exit_report& report)
{
    reports_.on_exited(report);
    return true;
}

bool link_execution::on(const start_error& what)
{
    confirm();
    reports_.on_start_failed(what.code, what.step);
    return true;
}

/// Continues the stream at `offset`, and reports what is lost before it. False if the agent broke the protocol.
bool link_execution::skip_to(stream_number stream, std::uint64_t offset)
{
    const auto missing = of(stream).skip_to(offset);
    if (missing && *missing > 0)
        reports_.on_gap(stream, offset - *missing, *missing);
    return missing.has_value();
}

}    // namespace caisson::protocol

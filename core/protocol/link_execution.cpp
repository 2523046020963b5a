#include "core/protocol/link_execution.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace caisson::protocol {

namespace {

constexpr std::size_t max_waiting_signals = 64;

}    // namespace

link_execution::link_execution(exec_number number, execution_sink& sink, std::optional<resume_point> resume)
    : number_(number), sink_(&sink), known_to_agent_(resume.has_value()), input_(resume ? resume->stdin_sent : 0), orders_known_(!resume)
{
    const auto from = resume.value_or(resume_point{});
    stdout_.received = stdout_.acknowledged = from.stdout_committed;
    stderr_.received = stderr_.acknowledged = from.stderr_committed;
    connected();
}

void link_execution::put_file(std::string path, std::uint32_t mode, shared_bytes content)
{
    if (!fits_frame(path, max_path_bytes))
        return refuse(path.size() > max_path_bytes ? ENAMETOOLONG : EINVAL, "file " + path.substr(0, max_path_bytes));
    files_.push_back({std::move(path), mode, std::move(content)});
}

void link_execution::spawn(const spawn_request& request, shared_descriptors join)
{
    spawn_ = shared_bytes(encode_spawn(request));
    if (spawn_.size() > max_spawn_bytes)
        refuse(E2BIG, "spawn");
    join_ = std::move(join);
    stdin_open_ = request.stdin_open;
    spawn_wanted_ = true;
}

void link_execution::acknowledge(stream_number stream, std::uint64_t end)
{
    auto& state = of(stream);
    state.acknowledged = std::max(state.acknowledged, std::min(end, state.received));
}

bool link_execution::signal(const signal_order& order)
{
    const bool waits_already = order.everyone && signals_said_ < signals_.size() && signals_.back().everyone;
    if (signals_.size() >= max_waiting_signals && !order.everyone)
        return false;
    if (!waits_already)
        signals_.push_back(order);
    return true;
}

bool link_execution::is_to_kill_all() const
{
    return known_to_agent_ && std::any_of(signals_.begin(), signals_.end(), [](const signal_order& each) { return each.everyone; });
}

void link_execution::resize(const resize_order& order)
{
    resize_ = order;
    resize_due_ = true;
}

void link_execution::refuse(int code, std::string step)
{
    if (!refusal_)
        refusal_.emplace(code, std::move(step));
}

void link_execution::report_refusal()
{
    if (!is_refused())
        return;
    exited_ = true;
    confirm();
    if (sink_)
        sink_->on_start_failed(refusal_->first, refusal_->second);
}

/// The agent has the SPAWN and its files; they are not sent again.
void link_execution::confirm()
{
    spawn_wanted_ = false;
    known_to_agent_ = true;
    spawn_ = {};
    join_.reset();
    files_.clear();
}

void link_execution::connected()
{
    stage_ = stage::idle;
    file_index_ = 0;
    file_offset_ = 0;
    stdout_.told = stdout_.acknowledged;
    stderr_.told = stderr_.acknowledged;
    input_.restart(0);
    signals_said_ = 0;
    resize_due_ = resize_.has_value();
}

link_execution::filled link_execution::fill(frame_batch& batch, bool carries_descriptors, std::uint32_t version)
{
    if (refusal_)
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
        encode_frame(batch.text(), number_, resume_point{stdout_.acknowledged, stderr_.acknowledged, input_.taken()});
        stage_ = stage::asked;
        return filled::something;
    }
    if (fill_file(batch))
        return filled::something;
    if (!spawn_wanted_)
        return filled::nothing;
    if (carries_descriptors && join_ && !join_->empty() && !batch.empty())
        return filled::needs_new_batch;
    fill_spawn(batch, carries_descriptors);
    return filled::something;
}

bool link_execution::fill_file(frame_batch& batch)
{
    if (file_index_ == files_.size())
        return false;
    const auto& file = files_[file_index_];
    auto part = file.content.slice(file_offset_);
    part = part.slice(0, chunk_length(part.view()));
    const bool last = file_offset_ + part.size() == file.content.size();
    encode_frame(batch.text(), number_, file_chunk{file.mode, file_offset_, last, file.path, part.view()});
    file_offset_ = last ? 0 : file_offset_ + part.size();
    file_index_ += last ? 1 : 0;
    batch.finish_frame(std::move(part));
    return true;
}

/// Adds all parts at once: no other execution's parts may come between.
void link_execution::fill_spawn(frame_batch& batch, bool carries_descriptors)
{
    if (!stdin_open_)
        input_.finish_here();
    const bool joins = carries_descriptors && join_ && !join_->empty();
    if (joins)
        batch.set_descriptors(join_);
    const auto total = static_cast<std::uint32_t>(spawn_.size());
    for (std::size_t at = 0; at < spawn_.size();) {
        auto part = spawn_.slice(at);
        part = part.slice(0, chunk_length(part.view()));
        const auto descriptors = static_cast<std::uint8_t>(joins && at == 0 ? join_->size() : 0);
        encode_frame(batch.text(), number_, spawn_chunk{static_cast<std::uint32_t>(at), total, descriptors, part.view()});
        at += part.size();
        batch.finish_frame(std::move(part));
    }
    stage_ = stage::joined;
    known_to_agent_ = true;
    input_.restart(stream_window_bytes);
}

bool link_execution::fill_orders(frame_batch& batch, std::uint32_t version)
{
    const auto before = batch.size();
    for (const auto stream : {stream_number::stdout_stream, stream_number::stderr_stream}) {
        auto& state = of(stream);
        if (state.told < state.acknowledged)
            encode_frame(batch.text(), number_, acknowledgement{stream, state.acknowledged});
        state.told = state.acknowledged;
    }
    fill_signals(batch, version);
    if (std::exchange(resize_due_, false))
        encode_frame(batch.text(), number_, *resize_);
    return batch.size() > before;
}

void link_execution::fill_signals(frame_batch& batch, std::uint32_t version)
{
    if (version < first_with_orders) {    // sent once: such an agent does not confirm
        for (auto order : std::exchange(signals_, {})) {
            order.order = 0;
            encode_frame(batch.text(), number_, order);
        }
        return;
    }
    for (; orders_known_ && signals_said_ < signals_.size(); ++signals_said_) {
        auto& order = signals_[signals_said_];
        order.order = order.order == 0 ? ++last_order_ : order.order;
        encode_frame(batch.text(), number_, order);
    }
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
    if (ends && version < first_with_orders && !std::exchange(stdin_end_heard_, true) && sink_)
        sink_->on_stdin_ended();    // such an agent does not confirm
    return some || ends;
}

}    // namespace caisson::protocol

#include "core/log/log_buffer.hpp"

#include "core/base/utf8.hpp"

#include <algorithm>

namespace caisson {

namespace {

/// Memory per entry besides its bytes; bounds programs that write single bytes.
constexpr std::size_t entry_overhead = 256;

/// Bounds for storing small pieces of a stream as one row: bytes of a piece, bytes of the row, and time from first to last.
constexpr std::size_t most_piece_bytes = 16;
constexpr std::size_t most_row_bytes = 1'024;
constexpr std::int64_t most_row_ms = 20;

std::size_t cost(const log_event& event) { return event.data.size() + event.body.size() + entry_overhead; }

}    // namespace

log_buffer::log_buffer(log_options options, log_extent stored)
    : options_(options), shown_(stored.end), stored_end_(stored.end), ring_start_(stored.end), has_begin_(stored.end == log_position())
{
    head_bytes_ = stored.cuts.empty() ? stored.stored_output_bytes : options.max_output_bytes;
    stored_bytes_ = stored.stored_bytes;
    for (auto stream : {output_stream::stdout_stream, output_stream::stderr_stream}) {
        auto& state = state_of(stream);
        state.received = state.committed = stored.end.end_of(stream);
        state.truncated = stream == output_stream::stdout_stream ? stored.stdout_truncated : stored.stderr_truncated;
    }
    for (const auto& cut : stored.cuts) {
        auto& state = state_of(cut.stream);
        state.cut = cut.offset;
        state.cut_stored = true;
    }
}

void log_buffer::output(output_stream stream, std::uint64_t offset, shared_bytes bytes, std::int64_t at_ms)
{
    auto& state = state_of(stream);
    if (offset + bytes.size() <= state.received || state.ended)
        return;
    if (offset < state.received)
        bytes = bytes.slice(state.received - offset);
    else if (offset > state.received)
        gap(stream, offset - state.received, at_ms);
    state.received += bytes.size();
    if (!state.held.empty()) {
        state.held.append(bytes.view());
        bytes = shared_bytes(std::exchange(state.held, {}));
    }
    const auto waits = incomplete_utf8_tail(bytes.view());
    state.held = bytes.view().substr(bytes.size() - waits);
    if (bytes.size() > waits)
        chunk(stream, bytes.slice(0, bytes.size() - waits), at_ms);
}

void log_buffer::gap(output_stream stream, std::uint64_t missing, std::int64_t at_ms)
{
    auto& state = state_of(stream);
    release_held(at_ms);
    state.received += missing;
    if (state.cut) {    // the tail restarts after the gap
        state.tail.clear();
        state.tail_size = 0;
        shown_.end_of(stream) += missing;
        return;
    }
    store_truncation(stream, missing, at_ms);
    shown_.end_of(stream) = stored_end_.end_of(stream);
}

void log_buffer::control(event_kind kind, std::string body, std::int64_t at_ms)
{
    log_event event;
    event.kind = kind;
    event.at_ms = at_ms;
    event.body = std::move(body);
    ++stored_end_.control;
    ++shown_.control;
    event.end = stored_end_;
    add(std::move(event), true);
}

void log_buffer::end(output_stream stream, std::int64_t at_ms)
{
    auto& state = state_of(stream);
    if (state.ended)
        return;
    if (!state.held.empty())
        chunk(stream, shared_bytes(std::exchange(state.held, {})), at_ms);
    state.ended = true;
    if (state.cut)
        store_tail(stream, at_ms);
}

void log_buffer::end_attempt(std::int64_t at_ms)
{
    release_held(at_ms);
    for (auto stream : {output_stream::stdout_stream, output_stream::stderr_stream})
        if (state_of(stream).cut && !state_of(stream).ended)
            store_tail(stream, at_ms);
}

void log_buffer::release_held(std::int64_t at_ms)
{
    for (auto stream : {output_stream::stdout_stream, output_stream::stderr_stream}) {
        auto& state = state_of(stream);
        if (!state.held.empty())
            chunk(stream, shared_bytes(std::exchange(state.held, {})), at_ms);
    }
}

bool log_buffer::holds_back() const
{
    return std::any_of(streams_.begin(), streams_.end(), [](const auto& state) { return !state.held.empty(); });
}

void log_buffer::chunk(output_stream stream, shared_bytes bytes, std::int64_t at_ms)
{
    auto& state = state_of(stream);
    if (!state.cut) {
        const auto room = options_.max_output_bytes - std::min(head_bytes_, options_.max_output_bytes);
        auto head = std::min<std::uint64_t>(bytes.size(), room);
        if (head < bytes.size())
            head -= incomplete_utf8_tail(bytes.view().substr(0, head));
        if (head > 0)
            store_chunk(stream, bytes.slice(0, head), at_ms);
        if (head == bytes.size())
            return;
        bytes = bytes.slice(head);
        head_bytes_ = options_.max_output_bytes;    // so the other stream is cut at its next byte
        cut_here(stream);
    }
    show_chunk(stream, bytes, at_ms);
    keep_tail(stream, bytes);
}

void log_buffer::cut_here(output_stream stream)
{
    auto& state = state_of(stream);
    state.cut = stored_end_.end_of(stream);
    cuts_to_store_.push_back({stream, *state.cut});
}

void log_buffer::store_chunk(output_stream stream, shared_bytes bytes, std::int64_t at_ms)
{
    log_event event;
    event.at_ms = at_ms;
    event.stream = stream;
    event.offset = stored_end_.end_of(stream);
    stored_end_.end_of(stream) += bytes.size();
    shown_.end_of(stream) = std::max(shown_.end_of(stream), stored_end_.end_of(stream));
    head_bytes_ += bytes.size();
    event.end = stored_end_;
    event.data = std::move(bytes);
    add(std::move(event), true);
}

void log_buffer::show_chunk(output_stream stream, shared_bytes bytes, std::int64_t at_ms)
{
    log_event event;
    event.at_ms = at_ms;
    event.stream = stream;
    event.offset = shown_.end_of(stream);
    shown_.end_of(stream) += bytes.size();
    event.end = shown_;
    event.data = std::move(bytes);
    add(std::move(event), false);
}

void log_buffer::keep_tail(output_stream stream, shared_bytes bytes)
{
    auto& state = state_of(stream);
    state.tail_size += bytes.size();
    state.tail.push_back(std::move(bytes));
    while (state.tail_size - state.tail.front().size() >= options_.tail_bytes) {
        state.tail_size -= state.tail.front().size();
        state.tail.pop_front();
    }
}

void log_buffer::store_tail(output_stream stream, std::int64_t at_ms)
{
    auto& state = state_of(stream);
    if (state.tail_size > options_.tail_bytes) {
        const auto surplus = state.tail_size - options_.tail_bytes;
        auto& front = state.tail.front();
        auto drop = surplus;
        if (incomplete_utf8_tail(front.view().substr(0, surplus)) > 0)    // begin at a character boundary
            while (drop < front.size() && (static_cast<unsigned char>(front.view()[drop]) & 0xc0u) == 0x80)
                ++drop;
        front = front.slice(drop);
        state.tail_size -= drop;
    }
    const auto begin = state.received - state.tail_size;
    if (begin > stored_end_.end_of(stream))
        store_truncation(stream, begin - stored_end_.end_of(stream), at_ms);
    std::string joined;
    for (const auto& part : state.tail)
        joined.append(part.view());
    state.tail.clear();
    state.tail_size = 0;
    if (!joined.empty())
        store_chunk(stream, shared_bytes(std::move(joined)), at_ms);
}

void log_buffer::store_truncation(output_stream stream, std::uint64_t missing, std::int64_t at_ms)
{
    log_event event;
    event.kind = event_kind::truncated;
    event.at_ms = at_ms;
    event.stream = stream;
    event.offset = stored_end_.end_of(stream);
    event.missing_bytes = missing;
    ++stored_end_.control;
    ++shown_.control;
    stored_end_.end_of(stream) += missing;
    event.end = stored_end_;
    state_of(stream).truncated = true;
    add(std::move(event), true);
}

void log_buffer::add(log_event event, bool to_store)
{
    auto shared = std::make_shared<const log_event>(std::move(event));
    if (to_store)
        unstored_.emplace_back(first_number_ + ring_.size(), shared);
    ring_size_ += cost(*shared);
    ring_.push_back({std::move(shared), !to_store});
    settle();
}

std::size_t log_buffer::unstored_bytes() const
{
    std::size_t bytes = 0;
    for (const auto& [number, event] : unstored_)
        bytes += event->data.size();
    return bytes;
}

bool log_buffer::is_whole(std::size_t most_events, std::size_t most_bytes) const
{
    if (!has_begin_ || unstored_.size() > most_events || was_cut(output_stream::stdout_stream) || was_cut(output_stream::stderr_stream))
        return false;
    std::size_t bytes = 0;
    for (const auto& [number, event] : unstored_)
        bytes += event->data.size();
    return bytes <= most_bytes;
}

/// End of the events from `begin` on that are stored as one row: small pieces would otherwise take a row each.
std::size_t log_buffer::end_of_row(std::size_t begin) const
{
    const auto& first = *unstored_[begin].second;
    auto bytes = first.data.size();
    auto end = begin + 1;
    if (first.kind != event_kind::output || bytes > most_piece_bytes)
        return end;
    for (; end < unstored_.size(); ++end) {
        const auto& next = *unstored_[end].second;
        const auto size = next.data.size();
        if (next.kind != event_kind::output || next.stream != first.stream || next.offset != first.offset + bytes ||
            size > most_piece_bytes || bytes + size > most_row_bytes || next.at_ms > first.at_ms + most_row_ms)
            break;
        bytes += size;
    }
    return end;
}

log_buffer::event_ptr log_buffer::as_one(std::size_t begin, std::size_t end) const
{
    auto piece = *unstored_[begin].second;
    std::string bytes;
    for (auto each = begin; each < end; ++each)
        bytes += unstored_[each].second->data.view();
    piece.data = shared_bytes(std::move(bytes));
    piece.end = unstored_[end - 1].second->end;
    return std::make_shared<const log_event>(std::move(piece));
}

log_buffer::batch log_buffer::take()
{
    has_begin_ = false;
    batch out;
    while (next_to_take_ < unstored_.size()) {
        const auto end = end_of_row(next_to_take_);
        out.events.push_back(end == next_to_take_ + 1 ? unstored_[next_to_take_].second : as_one(next_to_take_, end));
        stored_bytes_ += out.events.back()->stored_bytes();
        taken_ += end - next_to_take_;
        next_to_take_ = end;
    }
    for (; cuts_taken_ < cuts_to_store_.size(); ++cuts_taken_)
        out.cuts.push_back(cuts_to_store_[cuts_taken_]);
    return out;
}

void log_buffer::stored()
{
    for (std::size_t i = 0; i < taken_; ++i) {
        const auto& [number, event] = unstored_[i];
        if (number >= first_number_)
            ring_[number - first_number_].stored = true;
        auto& state = state_of(event->stream);
        if (event->kind == event_kind::output || event->kind == event_kind::truncated)
            state.committed = event->end.end_of(event->stream);
    }
    unstored_.erase(unstored_.begin(), unstored_.begin() + static_cast<std::ptrdiff_t>(taken_));
    next_to_take_ -= taken_;
    taken_ = 0;
    for (std::size_t i = 0; i < cuts_taken_; ++i)
        state_of(cuts_to_store_[i].stream).cut_stored = true;
    cuts_to_store_.erase(cuts_to_store_.begin(), cuts_to_store_.begin() + static_cast<std::ptrdiff_t>(cuts_taken_));
    cuts_taken_ = 0;
    settle();
}

std::uint64_t log_buffer::acknowledgeable(output_stream stream) const
{
    const auto& state = state_of(stream);
    if (!state.cut)
        return state.committed;
    if (!state.cut_stored || state.committed < *state.cut)
        return state.committed;
    const auto behind_tail = state.received - std::min(state.received, options_.tail_bytes);
    return std::max(*state.cut, behind_tail);
}

/// Makes entries visible up to the first unstored control event, then drops stored entries beyond the ring's size.
void log_buffer::settle()
{
    while (visible_ < ring_.size() && (ring_[visible_].stored || ring_[visible_].event->kind == event_kind::output))
        ++visible_;
    while (ring_size_ > options_.ring_bytes && visible_ > 1 && ring_.front().stored) {
        const auto& event = *ring_.front().event;
        for (auto stream : {output_stream::stdout_stream, output_stream::stderr_stream})
            ring_start_.end_of(stream) = std::max(ring_start_.end_of(stream), event.end.end_of(stream));
        ring_start_.control = std::max(ring_start_.control, event.end.control);
        ring_size_ -= cost(event);
        ring_.pop_front();
        ++first_number_;
        --visible_;
    }
}

}    // namespace caisson

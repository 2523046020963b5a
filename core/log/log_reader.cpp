#include "core/log/log_reader.hpp"

#include <algorithm>
#include <utility>

namespace caisson {

log_reader::log_reader(execution_id id, event_store& store, std::shared_ptr<live_log> live, log_position after)
    : id_(std::move(id)), store_(store), live_(std::move(live)), seen_(after)
{
}

task<result<std::vector<viewed_event>>> log_reader::next(std::size_t max_bytes, bool follow)
{
    while (!done_) {
        if (!live_)
            co_return co_await from_store(max_bytes);
        live_->follow();
        const auto changes = live_->changed().version();
        const auto start = live_->buffer().ring_start();
        if (is_at(start)) {
            auto events = from_ring(max_bytes);
            if (!events.empty() || !follow || done_)
                co_return events;
            co_await live_->changed().wait_past(changes);
            continue;
        }
        auto events = co_await from_store(max_bytes);
        if (events.has_error() || !events->empty())
            co_return events;
        auto notices = jump_to(start);
        if (!notices.empty())
            co_return notices;
    }
    co_return std::vector<viewed_event>();
}

bool log_reader::is_at(const log_position& start) const
{
    return seen_.control >= start.control && seen_.stdout_end >= start.stdout_end && seen_.stderr_end >= start.stderr_end;
}

/// Appends the part of `event` that the viewer has not seen, and advances the position.
void log_reader::view(std::shared_ptr<const log_event> event, std::vector<viewed_event>& out)
{
    if (event->covered_by(seen_)) {
        done_ = done_ || event->kind == event_kind::exit;    // also for a position beyond the end
        return;
    }
    if (event->kind == event_kind::output && event->offset > seen_.end_of(event->stream))    // the bytes between were lost in a restart
        out.push_back(notice_up_to(event->stream, event->offset));
    viewed_event shown;
    auto& end = seen_.end_of(event->stream);
    if (event->kind == event_kind::output) {
        shown.skip = end > event->offset ? end - event->offset : 0;
        end = event->end.end_of(event->stream);
    } else {
        seen_.control = event->end.control;
        if (event->kind == event_kind::truncated)
            end = std::max(end, event->end.end_of(event->stream));
    }
    done_ = done_ || event->kind == event_kind::exit;
    gave_ = true;
    shown.event = std::move(event);
    shown.seen = seen_;
    out.push_back(std::move(shown));
}

std::vector<viewed_event> log_reader::from_ring(std::size_t max_bytes)
{
    const auto& buffer = live_->buffer();
    std::vector<viewed_event> out;
    std::size_t bytes = 0;
    next_number_ = std::max(next_number_, buffer.first_number());
    for (const auto end = live_->visible_end(); next_number_ < end && bytes < max_bytes; ++next_number_) {
        const auto& event = buffer.entry(next_number_);
        const auto given = out.size();
        view(event, out);
        if (out.size() > given)    // events already seen from the store do not count
            bytes += event->data.size();
    }
    return out;
}

task<result<std::vector<viewed_event>>> log_reader::from_store(std::size_t max_bytes)
{
    auto stored = co_await store_.read(id_, seen_, max_bytes);
    if (stored.has_error())
        co_return stored.error();
    std::vector<viewed_event> out;
    for (auto& event : *stored)
        if (!(live_ && event->kind == event_kind::exit))    // the live log decides when its exit event is visible
            view(std::move(event), out);
    co_return out;
}

/// Moves the viewer to `offset` and reports the bytes before it as missing.
viewed_event log_reader::notice_up_to(output_stream stream, std::uint64_t offset)
{
    auto& end = seen_.end_of(stream);
    auto notice = std::make_shared<log_event>();
    notice->kind = event_kind::truncated;
    if (live_ && live_->buffer().end_number() > live_->buffer().first_number())
        notice->at_ms = live_->buffer().entry(live_->buffer().first_number())->at_ms;
    notice->stream = stream;
    notice->offset = end;
    notice->missing_bytes = offset - std::exchange(end, offset);
    return {std::move(notice), 0, seen_};
}

/// Moves the viewer to `start`. Bytes up to there were shown live but never stored; notices report them.
std::vector<viewed_event> log_reader::jump_to(const log_position& start)
{
    std::vector<viewed_event> out;
    for (auto stream : {output_stream::stdout_stream, output_stream::stderr_stream})
        if (seen_.end_of(stream) < start.end_of(stream))
            out.push_back(notice_up_to(stream, start.end_of(stream)));
    seen_.control = std::max(seen_.control, start.control);
    return out;
}

}    // namespace caisson

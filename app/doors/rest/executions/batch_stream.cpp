#include "app/doors/rest/executions/batch_stream.hpp"

#include "adapters/net/sse.hpp"
#include "app/doors/http/stream_pace.hpp"
#include "app/doors/rest/executions/collect.hpp"
#include "app/wire/event_frame.hpp"
#include "core/fairness/fair_workers.hpp"

#include <algorithm>

namespace caisson::http {

namespace {

using namespace std::chrono_literals;

/// The most that is read of one log at once.
constexpr std::size_t most_batch = 256 << 10;

/// SSE without event ids: a cursor belongs to one execution and is in its frames.
std::string frames_of(const std::vector<viewed_event>& events, const merged_log& from)
{
    const auto id = from.id.str();
    std::string text;
    for (const auto& each : events) {
        text += "data: ";
        wire::append_event_frame(text, seen_part(each), {.execution_id = id, .pty = from.pty, .ref = from.ref});
        text += "\n\n";
    }
    return text;
}

std::string trouble(const error& what, const merged_log& from)
{
    return "data: " + wire::error_frame_json(what, from.ref, from.id.str()) + "\n\n";
}

}    // namespace

task<> run_batch_stream(std::shared_ptr<batch_stream> stream) { co_await stream->run(); }

batch_stream::batch_stream(const api_services& use, call_ptr call, std::vector<merged_log> logs, std::vector<std::string> frames)
    : use_(use)
    , call_(std::move(call))
    , frames_(std::move(frames))
    , turn_(use.executor)
    , pumps_(use.executor, use.log)
    , heart_(use.executor, use.log)
{
    for (auto& each : logs)
        logs_.push_back(std::make_shared<merged_log>(std::move(each)));
}

task<> batch_stream::run()
{
    net::response head;
    head.fields = call_->extra;
    head.fields.set("Content-Type", std::string(net::sse_content_type));
    head.fields.set("Cache-Control", "no-store");
    head.fields.set("X-Accel-Buffering", "no");
    out_ = co_await call_->exchange().begin_stream(std::move(head));
    for (auto& frame : frames_)
        co_await write("data: " + std::move(frame) + "\n\n");
    for (const auto& each : logs_)
        pumps_.spawn("merged log of " + each->id.str(), pump(each));
    heart_.spawn("heartbeat of a batch", beat());
    co_await pumps_.wait_idle();
}

task<> batch_stream::stop()
{
    co_await heart_.stop();
    co_await pumps_.stop();
}

task<> batch_stream::finish()
{
    const bool whole = !gone_ && std::ranges::all_of(logs_, [](const auto& each) { return each->log->at_end(); });
    if (out_ && (whole || call_->exchange().draining()))
        co_await out_->finish();
}

std::size_t batch_stream::batch_bytes() const
{
    const auto share = call_->exchange().share_bytes() / std::max<std::size_t>(1, logs_.size());
    return std::clamp(share, least_batch, most_batch);
}

task<> batch_stream::pump(std::shared_ptr<merged_log> from)
{
    while (!gone_) {
        auto events = co_await from->log->next(batch_bytes(), true);
        if (events.has_value() && events->empty())
            co_return;
        if (events.has_value())
            co_await wait_for_turn(use_.texts, call_->tenant(), io_turns::kind::events, cost_of(*events));
        auto text = events.has_error() ? trouble(events.error(), *from) : frames_of(*events, *from);
        co_await write(std::move(text));
        if (events.has_error())
            co_return;
    }
}

task<> batch_stream::beat()
{
    while (!gone_) {
        co_await use_.time.wait_for(heartbeat_every);
        co_await write(net::sse_comment("still running"));
    }
}

task<> batch_stream::write(std::string text)
{
    const auto mine = next_ticket_++;
    while (serving_ != mine) {
        const auto seen = turn_.version();
        co_await turn_.wait_past(seen);
    }
    const auto leave = std::shared_ptr<void>(nullptr, [this](void*) {
        ++serving_;
        turn_.notify_all();
    });
    if (gone_)
        co_return;
    const bool taken = co_await out_->write(text);
    gone_ = gone_ || !taken;
}

}    // namespace caisson::http

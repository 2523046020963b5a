#include "app/doors/rest/images/image_pull.hpp"

#include "adapters/net/sse.hpp"
#include "app/doors/http/stream_pace.hpp"
#include "app/doors/rest/executions/event_stream.hpp"
#include "app/wire/event_frame.hpp"
#include "app/wire/image_view.hpp"
#include "core/async/deadline.hpp"
#include "core/async/notifier.hpp"
#include "core/images/image_service.hpp"

namespace caisson::http {

namespace {

using namespace std::chrono_literals;

/// The state of one answer. Shared by its coroutines.
struct pull_stream {
    pull_stream(const api_services* services, call_ptr answered, std::string name)
        : use(*services), call(std::move(answered)), image(std::move(name)), changed(services->executor)
    {
    }

    const api_services& use;
    const call_ptr call;
    const std::string image;
    const bool as_sse = wants_event_stream(call->request());
    std::unique_ptr<net::stream_writer> out;
    std::optional<image_progress> now;
    notifier changed;

    std::string framed(std::string json) const { return as_sse ? "data: " + std::move(json) + "\n\n" : std::move(json) + "\n"; }
};
using stream_ptr = std::shared_ptr<pull_stream>;

task<result<stored_image>> fetch(stream_ptr stream)
{
    image_watcher watcher = [stream](const image_progress& now) {
        stream->now = now;
        stream->changed.notify_all();
    };
    return stream->use.images->fetch(stream->image, std::move(watcher));
}

/// Writes progress until the client stops reading.
task<> write_progress(stream_ptr stream)
{
    for (bool taken = true; taken;) {
        const auto next = std::exchange(stream->now, std::nullopt);
        const auto seen = stream->changed.version();
        auto text = next ? stream->framed(wire::pull_progress_json(stream->image, *next)) : std::string();
        taken = co_await stream->out->write(text);
        auto change = stream->changed.wait_past(seen);
        const auto woken = co_await with_deadline(stream->use.time, stream->use.time.steady_now() + heartbeat_every, std::move(change));
        if (taken && woken.has_error() && stream->as_sse)
            taken = co_await stream->out->write(net::sse_comment("still pulling"));
    }
}

task<> write_end(stream_ptr stream, result<stored_image> fetched)
{
    const auto json =
        fetched.has_error() ? wire::error_frame_json(fetched.error()) : wire::pull_done_json({stream->image, &*fetched, true});
    const auto text = stream->framed(json);
    co_await stream->out->write(text);
    co_await stream->out->finish();
}

}    // namespace

bool wants_pull_progress(const net::request& from)
{
    const auto accept = from.fields.find("Accept");
    return wants_event_stream(from) || (accept && accept->find("application/x-ndjson") != std::string_view::npos);
}

task<> stream_pull(const api_services* use, call_ptr call, std::string image)
{
    auto stream = std::make_shared<pull_stream>(use, call, std::move(image));
    net::response head;
    head.fields.set("Content-Type", stream->as_sse ? std::string(net::sse_content_type) : "application/x-ndjson");
    head.fields.set("Cache-Control", "no-store");
    head.fields.set("X-Accel-Buffering", "no");
    stream->out = co_await call->exchange().begin_stream(std::move(head));
    auto both = race(fetch(stream), write_progress(stream));
    auto whole = race(std::move(both), call->exchange().client_gone(), use->keys.until_ended(call->who.key));
    auto outcome = co_await race(std::move(whole), call->exchange().drain_begun());
    if (outcome.index() != 0)
        co_return;
    auto& inner = std::get<0>(outcome);
    if (inner.index() == 0 && std::get<0>(inner).index() == 0)
        co_await write_end(stream, std::move(std::get<0>(std::get<0>(inner))));
}

}    // namespace caisson::http

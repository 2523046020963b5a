#include "app/cli/watched_sink.hpp"

#include "app/cli/exit_status.hpp"

namespace caisson::cli {

namespace {

constexpr std::chrono::seconds tick{1};

}    // namespace

watched_sink::watched_sink(client_session& session, std::string execution_id, std::unique_ptr<output_sink> inner, manner how)
    : session_(session)
    , id_(std::move(execution_id))
    , inner_(std::move(inner))
    , how_(how)
    , phase_(session.time().steady_now())
    , line_(!how.line || how.quiet)
{
}

void watched_sink::note_state(const frame_effects& effects)
{
    const auto now = session_.time().steady_now();
    if (effects.waits)
        phase_.waits(now);
    if (effects.started)
        phase_.starts(now);
}

task<bool> watched_sink::write(frame_effects effects)
{
    note_state(effects);
    if (how_.quiet && effects.waits)
        effects.note.clear();
    const bool shows = how_.prints && (!effects.output.empty() || !effects.note.empty());
    if (!shows)
        co_return co_await inner_->write(std::move(effects));
    const bool at_line_start = effects.output.empty() || effects.output.back().bytes.ends_with('\n');
    line_.clear();
    writing_ = true;
    const bool written = co_await inner_->write(std::move(effects));
    writing_ = false;
    phase_.printed(at_line_start, session_.time().steady_now());
    co_return written;
}

task<> watched_sink::watch()
{
    while (line_.enabled()) {
        co_await session_.time().wait_for(tick);
        if (phase_.is_waiting())
            co_await ask_place();
        const auto text = writing_ ? std::string() : phase_.line(session_.time().steady_now());
        if (!text.empty())
            line_.show(text);
    }
}

task<> watched_sink::ask_place()
{
    const auto record = co_await session_.api().get("/v1/executions/" + id_ + "?include=none");
    const auto* object = record.has_value() ? record->if_object() : nullptr;
    const auto* place = object != nullptr ? object->if_contains("queue_position") : nullptr;
    phase_.set_place(place != nullptr && place->is_int64() ? std::optional(place->get_int64()) : std::nullopt);
    phase_.set_reason(object != nullptr ? text_of(*object, "waits_for") : std::string());
}

}    // namespace caisson::cli

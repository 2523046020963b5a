#pragma once

#include "core/exec/ports.hpp"

#include <memory>
#include <string>
#include <vector>

namespace caisson::testing {

/// Makes the events of one log, one after the other.
class log_builder {
public:
    log_builder& out(std::string bytes) { return output(output_stream::stdout_stream, std::move(bytes)); }
    log_builder& err(std::string bytes) { return output(output_stream::stderr_stream, std::move(bytes)); }
    log_builder& output(output_stream stream, std::string bytes)
    {
        auto event = begin(event_kind::output, stream);
        event->data = shared_bytes(std::move(bytes));
        end_.end_of(stream) += event->data.size();
        return finish(std::move(event));
    }
    log_builder& control(event_kind kind, std::string body)
    {
        auto event = begin(kind, output_stream::stdout_stream);
        event->offset = 0;
        event->body = std::move(body);
        ++end_.control;
        return finish(std::move(event));
    }
    log_builder& truncated(output_stream stream, std::uint64_t missing_bytes)
    {
        auto event = begin(event_kind::truncated, stream);
        event->missing_bytes = missing_bytes;
        end_.end_of(stream) += missing_bytes;
        ++end_.control;
        return finish(std::move(event));
    }

    const log_position& end() const { return end_; }
    const event_list& events() const { return events_; }
    /// The events made since the last call.
    event_list take() { return std::exchange(events_, {}); }

private:
    std::shared_ptr<log_event> begin(event_kind kind, output_stream stream)
    {
        auto event = std::make_shared<log_event>();
        event->kind = kind;
        event->stream = stream;
        event->offset = end_.end_of(stream);
        event->at_ms = 1000 + static_cast<std::int64_t>(events_.size());
        return event;
    }
    log_builder& finish(std::shared_ptr<log_event> event)
    {
        event->end = end_;
        events_.push_back(std::move(event));
        return *this;
    }

    log_position end_;
    event_list events_;
};

/// One event in short: kind or stream, where, and how much.
inline std::string text_of(const log_event& event)
{
    const auto where =
        std::to_string(event.end.control) + "." + std::to_string(event.end.stdout_end) + "." + std::to_string(event.end.stderr_end);
    const std::string stream = event.stream == output_stream::stdout_stream ? "out" : "err";
    switch (event.kind) {
    case event_kind::output: return stream + "@" + std::to_string(event.offset) + ":" + std::string(event.data.view()) + " " + where;
    case event_kind::truncated:
        return "cut " + stream + "@" + std::to_string(event.offset) + "+" + std::to_string(event.missing_bytes) + " " + where;
    default: return "control " + std::to_string(static_cast<int>(event.kind)) + event.body + " " + where;
    }
}

inline std::vector<std::string> texts_of(const event_list& events)
{
    std::vector<std::string> texts;
    for (const auto& each : events)
        texts.push_back(text_of(*each));
    return texts;
}

}    // namespace caisson::testing

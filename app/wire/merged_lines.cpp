#include "app/wire/merged_lines.hpp"

namespace caisson::wire {

void merged_lines::release(line& line, const sink& to)
{
    if (!line.text.empty())
        to(line.text);
    line.text.clear();
}

void merged_lines::add(const log_event& event, const sink& to)
{
    if (event.kind != event_kind::output)
        return;
    const std::size_t stream = event.stream == output_stream::stdout_stream ? 0 : 1;
    auto& own = waiting_[stream];
    if (auto& other = waiting_[1 - stream]; event.at_ms - other.since_ms >= longest_wait_ms)
        release(other, to);
    const auto bytes = event.data.view();
    const auto end = bytes.rfind('\n');
    const auto lines = end == std::string_view::npos ? std::string_view() : bytes.substr(0, end + 1);
    const auto rest = bytes.substr(lines.size());
    if (!lines.empty()) {
        release(own, to);
        to(lines);
    }
    if (own.text.size() + rest.size() > most_waiting_bytes) {
        release(own, to);
        to(rest);
        return;
    }
    if (own.text.empty())
        own.since_ms = event.at_ms;
    own.text += rest;
}

void merged_lines::flush(const sink& to)
{
    const bool err_first = waiting_[1].since_ms < waiting_[0].since_ms;
    release(waiting_[err_first ? 1 : 0], to);
    release(waiting_[err_first ? 0 : 1], to);
}

}    // namespace caisson::wire

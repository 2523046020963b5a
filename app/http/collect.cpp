#include "app/http/collect.hpp"

namespace caisson::http {

namespace {

constexpr std::size_t read_bytes = 4 << 20;

}    // namespace

log_event seen_part(const viewed_event& viewed)
{
    auto part = *viewed.event;
    part.end = viewed.seen;
    part.offset += viewed.skip;
    if (viewed.skip > 0)
        part.data = part.data.slice(viewed.skip);
    return part;
}

task<result<wire::inline_texts>> collect_output(std::shared_ptr<log_reader> log, std::size_t limit_bytes)
{
    wire::inline_output texts(limit_bytes);
    for (;;) {
        auto events = co_await log->next(read_bytes, false);
        if (events.has_error())
            co_return events.error();
        if (events->empty())
            co_return texts.finish();
        for (const auto& each : *events)
            texts.add(seen_part(each));
    }
}

task<result<wire::inline_texts>> output_of(const api_services& use, const execution_row& row, std::size_t limit_bytes)
{
    return collect_output(use.executions.open_log_of(row, {}), limit_bytes);
}

task<std::optional<execution_payload>> payload_of(const api_services* use, execution_row row)
{
    if (row.kind != execution_kind::skill)
        co_return std::nullopt;
    if (row.payload)
        co_return *row.payload;
    auto found = co_await use->executions.payload(std::move(row.tenant), std::move(row.id), execution_payload::most_shown_bytes);
    co_return found.has_value() ? std::optional(std::move(*found)) : std::nullopt;
}

protocol::agent_link::target target_of(wire::signal_scope scope)
{
    return scope == wire::signal_scope::group ? protocol::agent_link::target::group : protocol::agent_link::target::leader;
}

}    // namespace caisson::http

#include "app/doors/rest/executions/collect.hpp"

#include "core/fairness/fair_workers.hpp"

namespace caisson::http {

namespace {

constexpr std::size_t read_bytes = 1 << 20;
constexpr std::size_t event_bytes = 320;    // an event's fixed cost: position, time and names

}    // namespace

std::size_t cost_of(const std::vector<viewed_event>& events)
{
    std::size_t bytes = 0;
    for (const auto& each : events)
        bytes += each.event->data.size() + each.event->body.size() + event_bytes;
    return bytes;
}

log_event seen_part(const viewed_event& viewed)
{
    auto part = *viewed.event;
    part.end = viewed.seen;
    part.offset += viewed.skip;
    if (viewed.skip > 0)
        part.data = part.data.slice(viewed.skip);
    return part;
}

task<result<wire::inline_texts>> collect_output(
    const api_services* use, tenant_id tenant, std::shared_ptr<log_reader> log, std::size_t limit_bytes)
{
    wire::inline_output texts(limit_bytes);
    std::size_t bytes = 0;
    for (;;) {
        auto events = co_await log->next(read_bytes, false);
        if (events.has_error())
            co_return events.error();
        if (events->empty())
            break;
        const auto cost = cost_of(*events);
        bytes += cost;
        auto add = [&] {
            for (const auto& each : *events)
                texts.add(seen_part(each));
        };
        co_await by_size(use->texts, tenant, cost, add);
    }
    auto finish = [&] { return texts.finish(); };
    co_return co_await by_size(use->texts, tenant, bytes, finish);
}

std::size_t size_of(const std::optional<wire::inline_texts>& texts, const std::optional<wire::files_view>& files)
{
    std::size_t sum = texts ? texts->stdout_text.text.size() + texts->stderr_text.text.size() + texts->logs.text.size() : 0;
    if (files)
        for (const auto& path : files->paths)
            sum += path.size();
    return sum;
}

task<result<wire::inline_texts>> output_of(const api_services& use, const execution_row& row, std::size_t limit_bytes)
{
    return collect_output(&use, row.tenant, use.executions.open_log_of(row, {}), limit_bytes);
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

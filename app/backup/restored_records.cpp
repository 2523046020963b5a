#include "app/backup/restored_records.hpp"

#include "core/base/clock.hpp"
#include "core/exec/attempts.hpp"
#include "core/exec/record/record.hpp"
#include "storage/storage.hpp"

#include <boost/asio/co_spawn.hpp>

namespace caisson::backup {

namespace {

constexpr std::size_t page_size = 200;
constexpr const char* cause = "restored from a backup";

std::shared_ptr<const log_event> control_event(event_kind kind, std::string body, log_position& end, std::int64_t now_ms)
{
    auto event = std::make_shared<log_event>();
    event->kind = kind;
    ++end.control;
    event->end = end;
    event->at_ms = now_ms;
    event->body = std::move(body);
    return event;
}

/// Ends an execution as interrupted, first in its log, then in its record.
task<result<void>> end_one(storage* store, execution_row row, log_extent extent, std::int64_t now_ms)
{
    ending end;
    end.status = execution_status::interrupted;
    end.verdict = verdict::lost;
    end.error = row.status == execution_status::queued ? "it waited when a backup of the server was made, and was restored from the backup"
                                                       : "it ran when a backup of the server was made, and was restored from the backup";
    const auto bytes = extent.end.stdout_end + extent.end.stderr_end;
    row.usage.output_bytes = static_cast<std::int64_t>(bytes);
    apply_ending(row, end, now_ms);
    if (!row.attempts.empty() && !row.attempts.back().ended_at_ms)
        end_attempt(row.attempts.back(), end, attempt_fault::agent_lost, now_ms);
    std::vector<std::shared_ptr<const log_event>> events;
    events.push_back(control_event(event_kind::usage, usage_body(row.usage), extent.end, now_ms));
    events.push_back(control_event(event_kind::exit, exit_body(row), extent.end, now_ms));
    std::vector<stream_cut> no_cuts;
    auto appending = store->events().append(row.id, std::move(events), std::move(no_cuts));
    auto appended = co_await std::move(appending);
    if (appended.has_error())
        co_return appended.error();
    co_return co_await store->executions().update(std::move(row));
}

task<result<void>> end_page(
    storage* store, std::vector<unfinished_execution> page, waiting_executions waiting, std::int64_t now_ms, ended_counts* counts)
{
    for (auto& each : page) {
        if (waiting == waiting_executions::run_again && each.row.status == execution_status::queued && !each.row.sandbox) {
            ++counts->waiting;
            continue;
        }
        auto extent = co_await store->events().extent(each.row.id);
        if (extent.has_error())
            co_return extent.error();
        if (extent->has_exit)    // the next server start finishes its record
            continue;
        auto ended = co_await end_one(store, std::move(each.row), std::move(*extent), now_ms);
        if (ended.has_error())
            co_return ended.error();
        ++counts->interrupted;
    }
    co_return result<void>();
}

task<result<ended_counts>> end_all(storage* store, waiting_executions waiting, std::int64_t now_ms)
{
    ended_counts counts;
    execution_id last;
    for (;;) {
        auto page = co_await store->executions().unfinished(last, page_size);
        if (page.has_error())
            co_return page.error();
        if (page->empty())
            break;
        last = page->back().row.id;
        auto ended = co_await end_page(store, std::move(*page), waiting, now_ms, &counts);
        if (ended.has_error())
            co_return ended.error();
    }
    auto alive = co_await store->sandboxes().alive();
    if (alive.has_error())
        co_return alive.error();
    for (const auto& box : *alive) {
        auto updated = co_await store->sandboxes().update(box.id, sandbox_state::lost, "", cause, now_ms);
        if (updated.has_error())
            co_return updated.error();
    }
    co_return counts;
}

task<> keep(task<result<ended_counts>> work, std::optional<result<ended_counts>>* into) { into->emplace(co_await std::move(work)); }

}    // namespace

result<ended_counts> end_what_ran(const std::filesystem::path& data_dir, waiting_executions waiting)
{
    asio::io_context context{1};
    const auto store = storage::open(data_dir, {.readers = 1, .reserve_bytes = 0});
    std::optional<result<ended_counts>> counts;
    std::exception_ptr failure;
    auto work = end_all(store.get(), waiting, system_clock().now_ms());
    asio::co_spawn(context, keep(std::move(work), &counts), [&failure](std::exception_ptr thrown) { failure = std::move(thrown); });
    context.run();
    if (failure)
        std::rethrow_exception(failure);
    return std::move(counts).value();
}

}    // namespace caisson::backup

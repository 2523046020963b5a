// POST /v1/executions/batch.

#include "app/doors/http/credentials.hpp"
#include "app/doors/http/storage_refusal.hpp"
#include "app/doors/rest/artifacts/artifact_files.hpp"
#include "app/doors/rest/executions/batch_stream.hpp"
#include "app/doors/rest/executions/begin_execution.hpp"
#include "app/doors/rest/executions/collect.hpp"
#include "app/doors/rest/executions/event_stream.hpp"
#include "app/doors/rest/executions/executions_door.hpp"
#include "app/wire/batch_request.hpp"
#include "app/wire/batch_view.hpp"
#include "app/wire/event_frame.hpp"
#include "app/wire/execution_view.hpp"
#include "core/async/deadline.hpp"
#include "core/fairness/fair_workers.hpp"

namespace caisson::http {

namespace {

constexpr std::string_view route_name = "POST /v1/executions/batch";
/// A client that waits for the ends is answered with 202 after this time at the latest.
constexpr auto longest_wait = std::chrono::hours(2);

/// One execution of a batch and its progress.
struct batch_item {
    std::optional<error> refused;
    execution_row row;    // if accepted: the row at that time
    bool cancel_on_disconnect = false;
    std::unique_ptr<log_reader> log;    // opened early, while the log is in memory
};

/// A batch being answered. Shared by the coroutines that answer it.
struct batch {
    const api_services& use;
    call_ptr call;
    wire::batch_request wanted;
    std::optional<idempotency_claim> claim;    // of the first valid execution; later ones append "#index" to the route
    std::vector<batch_item> items;
    bool replayed = false;

    bool all_ended() const
    {
        return std::ranges::all_of(items, [](const auto& each) { return each.refused || is_final(each.row.status); });
    }
};
using batch_ptr = std::shared_ptr<batch>;

std::optional<idempotency_claim> claim_at(const batch& all, bool is_first, std::size_t index)
{
    auto claim = all.claim;
    if (claim && !is_first)
        claim->route += "#" + std::to_string(index);
    return claim;
}

/// Submits the `index`th execution. Errors: the reason for a refusal.
task<result<void>> try_to_submit(batch_ptr all, std::size_t index, bool is_first)
{
    auto& item = all->items[index];
    auto wanted = std::move(*all->wanted.executions[index]);
    const bool may_cancel = wanted.spec.cancel_on_disconnect;
    auto claim = claim_at(*all, is_first, index);
    auto begun =
        co_await begin_execution(&all->use, all->call->who, std::move(wanted), std::move(claim), execution_service::answered::at_begin);
    if (begun.has_error())
        co_return begun.error();
    item.row = std::move(begun->row);
    item.cancel_on_disconnect = may_cancel && !begun->replayed;    // a client that repeats the request did not start it
    all->replayed = all->replayed || begun->replayed;
    auto log = co_await all->use.executions.open_log(item.row.tenant, item.row.id, log_position());
    if (log.has_error())
        co_return log.error();    // it was deleted meanwhile
    item.log = std::move(*log);
    co_return result<void>();
}

/// Submits and stores a refusal in the item. A full disk refuses only this item; earlier ones stay accepted.
task<> submit(batch_ptr all, std::size_t index, bool is_first)
{
    std::optional<error> refused;
    try {
        auto work = try_to_submit(all, index, is_first);
        const auto done = co_await std::move(work);
        if (done.has_error())
            refused = done.error();
    } catch (const storage_error& failure) {
        refused = refusal_of(failure);
        if (!refused)
            throw;
        all->use.log.error("the database cannot take more now", {{"what", failure.what()}});
    }
    all->items[index].refused = std::move(refused);
}

/// The refusal of later items when the first was refused under an Idempotency-Key.
error none_without(error first)
{
    first.detail =
        "the first execution of the batch was refused, and under an Idempotency-Key none is accepted without it: " + first.detail;
    first.fields.clear();
    return first;
}

/// Submits all items in order. Under an Idempotency-Key the first valid item stands for the batch: if it is refused, all are, so that the
/// key never names a part of another batch. Errors: errc::unprocessable if the key was used for another request.
task<result<void>> submit_all(batch_ptr all)
{
    std::optional<error> first_refused;
    bool is_first = true;
    for (std::size_t index = 0; index < all->items.size(); ++index) {
        auto& item = all->items[index];
        if (all->wanted.executions[index].has_error()) {
            item.refused = all->wanted.executions[index].error();
            continue;
        }
        if (first_refused) {
            item.refused = first_refused;
            continue;
        }
        co_await submit(all, index, is_first);
        if (is_first && all->claim && item.refused) {
            if (item.refused->code == errc::unprocessable)
                co_return *item.refused;
            if (item.refused->code != errc::gone)    // it was accepted earlier and deleted since
                first_refused = none_without(*item.refused);
        }
        is_first = false;
    }
    co_return result<void>();
}

task<> wait_for_all(batch_ptr all)
{
    const auto until = all->use.time.steady_now() + longest_wait;
    for (auto& item : all->items) {
        if (item.refused)
            continue;
        auto now = co_await all->use.executions.wait(item.row.tenant, item.row.id, until);
        if (now.has_error())
            item.refused = now.error();    // it was deleted meanwhile
        else
            item.row.status = now->status;    // the rest of the row is read when it is written
    }
}

/// Cancels the executions that end with their client.
task<> cancel_bound(batch_ptr all)
{
    for (const auto& item : all->items)
        if (!item.refused && item.cancel_on_disconnect)
            static_cast<void>(co_await all->use.executions.cancel(item.row.tenant, item.row.id));
}

task<std::string> item_json(batch_ptr all, std::size_t index)
{
    auto& item = all->items[index];
    if (item.refused)
        co_return wire::batch_error_json(index, *item.refused);
    if (!is_final(item.row.status))
        co_return wire::batch_execution_json(index, wire::execution_json(item.row));
    const auto row = co_await all->use.executions.find(item.row.tenant, item.row.id);
    if (row.has_error())
        co_return wire::batch_error_json(index, row.error());
    const auto payload = co_await payload_of(&all->use, *row);
    auto output = co_await collect_output(&all->use, item.row.tenant, std::shared_ptr<log_reader>(std::move(item.log)));
    const auto files = co_await files_of(&all->use, all->use.pages.base(all->call->request()), *row);
    const auto texts = output.has_value() ? std::optional(std::move(*output)) : std::nullopt;
    const wire::execution_parts parts{pointer_to(texts), pointer_to(files), nullptr, pointer_to(payload)};
    auto write = [&] { return wire::batch_execution_json(index, wire::execution_json(*row, parts)); };
    co_return co_await by_size(all->use.texts, all->call->tenant(), size_of(texts, files), write);
}

/// Writes item by item: only one item's texts are in memory at a time.
task<> answer_results(batch_ptr all)
{
    net::response head;
    head.status = all->all_ended() ? 200 : 202;
    head.fields = all->call->extra;
    head.fields.set("Content-Type", json_type);
    auto out = co_await all->call->exchange().begin_stream(std::move(head));
    std::string text(wire::batch_begin);
    for (std::size_t index = 0; index < all->items.size(); ++index) {
        text += index == 0 ? "" : ",";
        text += co_await item_json(all, index);
        const bool taken = co_await out->write(text);
        if (!taken)
            co_return;
        text.clear();
    }
    const bool taken = co_await out->write(wire::batch_end);
    if (taken)
        co_await out->finish();
}

std::shared_ptr<batch_stream> stream_of(batch_ptr all)
{
    std::vector<merged_log> logs;
    std::vector<std::string> errors;
    for (std::size_t index = 0; index < all->items.size(); ++index) {
        auto& item = all->items[index];
        const auto ref = std::to_string(index);
        if (item.refused)
            errors.push_back(wire::error_frame_json(*item.refused, ref));
        else
            logs.push_back({item.row.id, ref, item.row.pty, std::move(item.log)});
    }
    return std::make_shared<batch_stream>(all->use, all->call, std::move(logs), std::move(errors));
}

task<> answer_stream(batch_ptr all)
{
    auto stream = stream_of(all);
    auto work = race(run_batch_stream(stream), all->call->exchange().drain_begun());
    auto key_ends = all->use.keys.until_ended(all->call->who.key);
    const auto outcome = co_await race(std::move(work), all->call->exchange().client_gone(), std::move(key_ends));
    co_await stream->stop();
    const bool refused = stream->is_refused() && !all->call->exchange().draining();
    if (outcome.index() != 0 || refused)
        co_await cancel_bound(all);
    else
        co_await stream->finish();
}

}    // namespace

task<> executions_door::create_batch(call_ptr call)
{
    const auto bytes = call->request().body.size();
    auto read = [&] {
        const auto& from = call->request();
        return std::pair(claim_of(from, route_name, use_.digest), wire::parse_batch_request(from.body, use_.wire));
    };
    auto found = co_await by_size(use_.texts, call->tenant(), bytes, read);
    auto& [claim, parsed] = found;
    if (auto wrong = first_error(parsed, claim)) {
        co_await call->fail(std::move(*wrong));
        co_return;
    }
    auto all = std::make_shared<batch>(batch{use_, call, std::move(*parsed), std::move(*claim), {}, false});
    all->items.resize(all->wanted.executions.size());
    const auto submitted = co_await submit_all(all);
    if (submitted.has_error()) {
        co_await call->fail(submitted.error());
        co_return;
    }
    if (all->replayed)
        call->extra.set("Idempotency-Replayed", "true");
    if (wants_event_stream(call->request())) {
        co_await answer_stream(all);
        co_return;
    }
    const bool wait = all->wanted.wait && !call->request().fields.has_token("Prefer", "respond-async");
    if (wait && waiting_clients_ < static_cast<std::size_t>(use_.config.executions.max_waiting_clients)) {
        ++waiting_clients_;
        const auto leave = std::shared_ptr<void>(nullptr, [this](void*) { --waiting_clients_; });
        auto key_ends = use_.keys.until_ended(call->who.key);
        const auto outcome = co_await race(wait_for_all(all), call->exchange().client_gone(), std::move(key_ends));
        if (outcome.index() != 0) {
            co_await cancel_bound(all);
            if (outcome.index() == 2)
                co_await call->fail(ended_key());
            co_return;
        }
    }
    co_await answer_results(all);
}

}    // namespace caisson::http

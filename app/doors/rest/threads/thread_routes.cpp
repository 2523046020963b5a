// /v1/threads: saved states of agents. thread_file_routes.cpp has export and import.

#include "adapters/net/percent.hpp"
#include "adapters/net/ranges.hpp"
#include "app/doors/http/sized_answer.hpp"
#include "app/doors/rest/threads/thread_call.hpp"
#include "app/doors/rest/threads/threads_door.hpp"
#include "app/wire/checkpoint_cursor.hpp"
#include "app/wire/execution_view.hpp"
#include "app/wire/idempotency_key.hpp"
#include "app/wire/thread_query.hpp"
#include "app/wire/thread_request.hpp"
#include "app/wire/thread_view.hpp"
#include "core/threads/rules.hpp"

namespace caisson::http {

namespace {

std::string checkpoint_address(const checkpoint_row& row)
{
    return thread_address(row.thread) + "/checkpoints/" + net::percent_encode(row.id.str());
}

/// The checkpoint id for the request's Idempotency-Key: equal keys give equal ids. Empty without a key.
result<std::optional<checkpoint_id>> id_by_key(const api_services& use, const net::request& from)
{
    const auto field = from.fields.find("Idempotency-Key");
    if (!field)
        return std::optional<checkpoint_id>();
    const auto key = wire::parse_idempotency_key(*field);
    if (key.has_error())
        return key.error();
    if (from.fields.count("Idempotency-Key") > 1)
        return error{errc::bad_request, "Idempotency-Key is given twice", {{"Idempotency-Key", "is given twice"}}};
    return std::optional(checkpoint_id::from_trusted("key-" + use.digest(*key).substr(0, 40)));
}

/// The wish with the id of its Idempotency-Key. Errors: errc::bad_request if the body has an id too.
result<checkpoint_wish> with_key(result<checkpoint_wish> wish, const std::optional<checkpoint_id>& by_key)
{
    if (wish.has_error() || !by_key)
        return wish;
    if (wish->id) {
        const std::string message = "cannot be given together with an id, which is what it stands for: give one of them";
        return error{errc::bad_request, "Idempotency-Key " + message, {{"Idempotency-Key", message}}};
    }
    wish->id = by_key;
    return wish;
}

/// The error for a reused Idempotency-Key with other content.
error of_key(error refused)
{
    if (refused.code != errc::conflict)
        return refused;
    return {errc::unprocessable, "the Idempotency-Key was used for another checkpoint of this thread",
        {{"Idempotency-Key", "was used for another content"}}};
}

/// The checkpoint of the path. Errors: errc::not_found if no checkpoint can have that name.
result<named_checkpoint> checkpoint_of(const call& call)
{
    auto thread = thread_of(call);
    if (thread.has_error())
        return thread.error();
    const auto id = call.capture("checkpoint");
    if (id == "latest")
        return named_checkpoint{std::move(*thread), std::nullopt};
    if (check_checkpoint_id(id))
        return error{errc::not_found, "the thread has no such checkpoint"};
    return named_checkpoint{std::move(*thread), checkpoint_id::from_trusted(std::string(id))};
}

/// The same for a checkpoint to change, which must be named by its id.
result<named_checkpoint> own_checkpoint_of(const call& call)
{
    auto named = checkpoint_of(call);
    if (named.has_value() && !named->id)
        return error{errc::bad_request, "\"latest\" may be another one by now: name the checkpoint by its id",
            {{"checkpoint", "must be the id of a checkpoint here"}}};
    return named;
}

/// The artifacts that the row references, in its order; empty where one is gone.
task<std::vector<std::optional<artifact_row>>> artifacts_of(const api_services* use, checkpoint_row row)
{
    std::vector<std::optional<artifact_row>> found;
    for (const auto& [execution, path] : row.references.artifacts) {
        auto artifact = co_await use->artifacts->find(row.tenant, execution, path);
        found.push_back(artifact.has_value() ? std::optional(std::move(*artifact)) : std::nullopt);
    }
    co_return found;
}

/// The JSON of the execution that the row references, without output; empty if it is gone.
task<std::string> execution_of(const api_services* use, checkpoint_row row)
{
    auto found = co_await use->executions.find(row.tenant, *row.references.execution);
    co_return found.has_value() ? wire::execution_json(*found) : std::string();
}

}    // namespace

task<> threads_door::save_checkpoint(call_ptr call)
{
    auto thread = new_thread_of(*call);
    auto key = id_by_key(use_, call->request());
    if (auto wrong = first_error(thread, key)) {
        co_await call->fail(std::move(*wrong));
        co_return;
    }
    // The body lives as long as the exchange, which outlives this call.
    wish_reader read = [body = std::string_view(call->request().body), most = use_.threads->options().state.max_bytes, id = *key] {
        return with_key(wire::parse_checkpoint_request(body, most), id);
    };
    auto saved = co_await use_.threads->save(call->tenant(), std::move(*thread), std::move(read), call->request().body.size());
    if (saved.has_error()) {
        auto refused = *key ? of_key(saved.error()) : saved.error();
        co_await call->fail(std::move(refused));
        co_return;
    }
    if (saved->outcome == save_outcome::superseded) {
        co_await call->answer(409, wire::superseded_json(saved->row, call->request().request_id));
        co_return;
    }
    call->extra.set("Location", checkpoint_address(saved->row));
    const int status = saved->outcome == save_outcome::repeated ? 200 : 201;
    co_await call->answer(status, wire::checkpoint_json(saved->row));
}

task<> threads_door::list_checkpoints(call_ptr call)
{
    auto thread = thread_of(*call);
    auto filter = wire::parse_checkpoints_query(call->request().query);
    if (auto wrong = first_error(thread, filter)) {
        co_await call->fail(std::move(*wrong));
        co_return;
    }
    const bool with_states = filter->with_states;
    filter->most_bytes = call->exchange().share_bytes();
    auto page = co_await use_.threads->list(call->tenant(), std::move(*thread), std::move(*filter));
    if (page.has_error()) {
        co_await call->fail(page.error());
        co_return;
    }
    const auto next = page->next ? std::optional(wire::checkpoints_cursor(call->request().query, *page->next)) : std::nullopt;
    std::size_t bytes = 0;
    for (const auto& each : page->items)
        bytes += text_bytes(each.row) + each.state.size();
    auto write = [&] { return wire::checkpoint_list_json(*page, with_states, next); };
    co_await answer_by_size(use_.texts, call, bytes, write);
}

/// Not a coroutine: a thread's latest checkpoint is requested often and mostly kept.
task<> threads_door::get_checkpoint(call_ptr call)
{
    auto named = checkpoint_of(*call);
    const auto parts = wire::parse_checkpoint_query(call->request().query);
    if (auto wrong = first_error(named, parts))
        return call->fail(std::move(*wrong));
    if (named->id || parts->execution || parts->artifacts)    // an execution or artifact may be removed without a change of the thread
        return read_checkpoint(std::move(call), std::move(*named), *parts);
    const auto form = parts->state ? response_cache::form::whole : response_cache::form::brief;
    if (auto kept = latest_->find(call->tenant(), named->thread.str(), form); !kept.empty())
        return call->answer(200, std::move(kept));
    return read_latest(std::move(call), std::move(named->thread), form);
}

task<> threads_door::read_latest(call_ptr call, thread_name thread, response_cache::form form)
{
    const auto read_since = latest_->now(call->tenant(), thread.str());
    const bool whole = form == response_cache::form::whole;
    auto found = co_await use_.threads->load(call->tenant(), thread, std::nullopt, whole);
    if (found.has_error()) {
        co_await call->fail(found.error());
        co_return;
    }
    wire::checkpoint_extras extras;
    extras.state = whole ? &found->state : nullptr;
    auto write = [&] { return shared_bytes(wire::checkpoint_json(found->row, extras)); };
    auto json = co_await by_size(use_.texts, call->tenant(), text_bytes(found->row) + found->state.size(), write);
    latest_->keep(call->tenant(), thread.str(), form, json, read_since);
    co_await call->answer(200, std::move(json));
}

task<> threads_door::read_checkpoint(call_ptr call, named_checkpoint named, wire::checkpoint_parts parts)
{
    auto found = co_await use_.threads->load(call->tenant(), std::move(named.thread), std::move(named.id), parts.state);
    if (found.has_error()) {
        co_await call->fail(found.error());
        co_return;
    }
    wire::checkpoint_extras extras;
    extras.state = parts.state ? &found->state : nullptr;
    std::string execution;
    if (parts.execution && found->row.references.execution) {
        execution = co_await execution_of(&use_, found->row);
        extras.execution = &execution;
    }
    std::vector<std::optional<artifact_row>> artifacts;
    if (parts.artifacts) {
        artifacts = co_await artifacts_of(&use_, found->row);
        extras.artifacts = &artifacts;
    }
    auto write = [&] { return wire::checkpoint_json(found->row, extras); };
    co_await answer_by_size(use_.texts, call, text_bytes(found->row) + found->state.size(), write);
}

task<> threads_door::get_checkpoint_state(call_ptr call)
{
    auto named = checkpoint_of(*call);
    if (named.has_error()) {
        co_await call->fail(named.error());
        co_return;
    }
    auto found = co_await use_.threads->load(call->tenant(), std::move(named->thread), std::move(named->id), true);
    if (found.has_error()) {
        co_await call->fail(found.error());
        co_return;
    }
    auto plan = net::plan_content(call->request(), found->state.size(), found->row.state.digest);
    net::response answer;
    answer.status = plan.status;
    answer.fields = std::move(plan.fields);
    answer.fields.erase("Content-Length");
    answer.fields.set("Content-Type", found->row.state.media_type);
    answer.fields.set("Content-Disposition", "attachment");
    answer.fields.set("X-Content-Type-Options", "nosniff");
    answer.fields.set("Content-Security-Policy", "sandbox; default-src 'none'");
    answer.fields.set("Cache-Control", "private, no-cache");
    answer.fields.set("X-Checkpoint-Id", found->row.id.str());
    answer.body = std::string(found->state.view().substr(plan.offset, plan.length));
    co_await call->exchange().respond(std::move(answer));
}

task<> threads_door::delete_checkpoint(call_ptr call)
{
    auto named = own_checkpoint_of(*call);
    if (named.has_error()) {
        co_await call->fail(named.error());
        co_return;
    }
    auto erased = co_await use_.threads->erase(call->tenant(), std::move(named->thread), std::move(*named->id));
    if (erased.has_error())
        co_await call->fail(erased.error());
    else
        co_await call->no_content();
}

task<> threads_door::pin_checkpoint(call_ptr call) { return set_pin(std::move(call), true); }

task<> threads_door::unpin_checkpoint(call_ptr call) { return set_pin(std::move(call), false); }

task<> threads_door::set_pin(call_ptr call, bool pinned)
{
    auto named = own_checkpoint_of(*call);
    if (named.has_error()) {
        co_await call->fail(named.error());
        co_return;
    }
    auto row = co_await use_.threads->pin(call->tenant(), std::move(named->thread), std::move(*named->id), pinned);
    if (row.has_error())
        co_await call->fail(row.error());
    else
        co_await call->answer(200, wire::checkpoint_json(*row));
}

task<> threads_door::list_threads(call_ptr call)
{
    auto query = wire::parse_threads_query(call->request().query);
    if (query.has_error()) {
        co_await call->fail(query.error());
        co_return;
    }
    auto rows = co_await use_.threads->list_threads(call->tenant(), std::move(query->after), query->limit + 1);
    if (rows.has_error()) {
        co_await call->fail(rows.error());
        co_return;
    }
    std::optional<std::string> next;
    if (rows->size() > query->limit) {
        rows->resize(query->limit);
        next = wire::threads_cursor(rows->back().name);
    }
    co_await call->answer(200, wire::thread_list_json(*rows, next));
}

task<> threads_door::get_thread(call_ptr call)
{
    auto thread = thread_of(*call);
    if (thread.has_error()) {
        co_await call->fail(thread.error());
        co_return;
    }
    auto row = co_await use_.threads->find_thread(call->tenant(), std::move(*thread));
    if (row.has_error())
        co_await call->fail(row.error());
    else
        co_await call->answer(200, wire::thread_json(*row));
}

task<> threads_door::put_thread(call_ptr call)
{
    auto thread = new_thread_of(*call);
    auto policy = wire::parse_policy_request(call->request().body, use_.threads->options().defaults);
    if (auto wrong = first_error(thread, policy)) {
        co_await call->fail(std::move(*wrong));
        co_return;
    }
    auto row = co_await use_.threads->set_policy(call->tenant(), std::move(*thread), *policy);
    if (row.has_error())
        co_await call->fail(row.error());
    else
        co_await call->answer(200, wire::thread_json(*row));
}

task<> threads_door::delete_thread(call_ptr call)
{
    auto thread = thread_of(*call);
    if (thread.has_error()) {
        co_await call->fail(thread.error());
        co_return;
    }
    auto erased = co_await use_.threads->erase_thread(call->tenant(), std::move(*thread));
    if (erased.has_error())
        co_await call->fail(erased.error());
    else
        co_await call->no_content();
}

task<> threads_door::roll_back_thread(call_ptr call)
{
    auto thread = thread_of(*call);
    auto wanted = wire::parse_rollback_request(call->request().body);
    if (auto wrong = first_error(thread, wanted)) {
        co_await call->fail(std::move(*wrong));
        co_return;
    }
    if (wanted->mode == wire::rollback_mode::truncate) {
        auto done = co_await use_.threads->roll_back_by_removal(call->tenant(), std::move(*thread), std::move(wanted->to));
        if (done.has_error())
            co_await call->fail(done.error());
        else
            co_await call->answer(200, wire::rolled_back_json(*done));
        co_return;
    }
    auto row = co_await use_.threads->roll_back_by_copy(call->tenant(), std::move(*thread), std::move(wanted->to));
    if (row.has_error()) {
        co_await call->fail(row.error());
        co_return;
    }
    call->extra.set("Location", checkpoint_address(*row));
    const rolled_back done{std::move(*row), 0};
    co_await call->answer(201, wire::rolled_back_json(done));
}

task<> threads_door::branch_thread(call_ptr call)
{
    auto thread = thread_of(*call);
    auto wanted = wire::parse_branch_request(call->request().body);
    if (auto wrong = first_error(thread, wanted)) {
        co_await call->fail(std::move(*wrong));
        co_return;
    }
    auto row = co_await use_.threads->branch(call->tenant(), std::move(*thread), std::move(wanted->from), std::move(wanted->thread));
    if (row.has_error()) {
        co_await call->fail(row.error());
        co_return;
    }
    call->extra.set("Location", thread_address(row->name));
    co_await call->answer(201, wire::thread_json(*row));
}

task<> threads_door::diff_thread(call_ptr call)
{
    auto thread = thread_of(*call);
    auto query = wire::parse_diff_query(call->request().query);
    if (auto wrong = first_error(thread, query)) {
        co_await call->fail(std::move(*wrong));
        co_return;
    }
    auto found = co_await use_.threads->diff(call->tenant(), std::move(*thread), std::move(query->from), std::move(query->to));
    if (found.has_error())
        co_await call->fail(found.error());
    else
        co_await call->answer(200, wire::diff_json(found->from, found->to, found->patch));
}

}    // namespace caisson::http

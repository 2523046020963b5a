#include "storage/stores/thread_saving.hpp"

#include "storage/sql.hpp"
#include "storage/stores/thread_retention.hpp"

#include <algorithm>

namespace caisson::sqlite {

namespace {

error unknown(std::string field, const std::string& what)
{
    auto detail = field + " names " + what;
    auto message = "names " + what;
    return {errc::bad_request, std::move(detail), {{std::move(field), std::move(message)}}};
}

/// What the checkpoint names has to be there.
result<void> check_references(connection& db, const checkpoint_row& row)
{
    const auto& names = row.references;
    if (names.execution) {
        auto query = db.prepare(sql::checkpoint::exists_execution);
        if (!query.bind(*names.execution, row.tenant).step())
            return unknown("execution_id", "no execution: " + names.execution->str());
    }
    for (std::size_t i = 0; i < names.artifacts.size(); ++i) {
        auto query = db.prepare(sql::checkpoint::exists_artifact);
        if (!query.bind(names.artifacts[i].execution, names.artifacts[i].path, row.tenant).step())
            return unknown("artifacts[" + std::to_string(i) + "]", "no artifact: " + names.artifacts[i].path);
    }
    return {};
}

struct facts_of_save {
    chain_facts facts;
    std::optional<last_checkpoint> last;
    std::optional<std::int64_t> parent_position;    // of the request's
};

facts_of_save facts_of(connection& db, const stored_thread& thread, const save_request& request)
{
    facts_of_save found;
    found.last = find_last(db, thread.row.key);
    if (found.last)
        found.facts.latest = found.last->id;
    if (request.id) {
        auto query = db.prepare(sql::checkpoint::find_place);
        if (query.bind(thread.row.key, *request.id).step())
            found.facts.same_id_digest = std::string(query.view(1));
    }
    if (request.parent)
        found.parent_position = find_position(db, thread.row.key, *request.parent);
    found.facts.parent_is_there = found.parent_position.has_value();
    return found;
}

saved_checkpoint answer_with(connection& db, const stored_thread& thread, save_outcome outcome, const std::optional<checkpoint_id>& id)
{
    saved_checkpoint out;
    out.outcome = outcome;
    if (auto known = id ? find_checkpoint(db, thread, *id) : std::nullopt)
        out.row = std::move(known->row);
    return out;
}

bool is_about_latest(const error& refused)
{
    return refused.code == errc::conflict && !refused.fields.empty() && refused.fields.front().field == "if_latest";
}

/// What goes for it may be its parent.
void append_and_settle(connection& db, stored_thread& thread, checkpoint_row& row, std::optional<std::int64_t> parent_position,
    std::int64_t state_key, std::string_view request)
{
    const auto now_ms = row.created_at_ms;
    append_checkpoint(db, thread, row, parent_position, state_key, request);
    const auto dropped = settle_thread(db, thread, now_ms, most_dropped_aside);
    if (parent_position && std::find(dropped.begin(), dropped.end(), *parent_position) != dropped.end())
        row = find_checkpoint(db, thread, row.id)->row;
}

result<saved_checkpoint> append(
    connection& db, stored_thread& thread, const checkpoint_draft& draft, const save_decision& decision, const facts_of_save& found)
{
    saved_checkpoint out;
    out.row = draft.row;
    out.row.parent = decision.parent;
    const auto known = check_references(db, out.row);
    if (known.has_error())
        return known.error();
    const auto state = use_state(db, draft.row.tenant, draft.state, thread.uncounted);
    const auto parent = draft.request.parent ? found.parent_position : found.last ? std::optional(found.last->position) : std::nullopt;
    append_and_settle(db, thread, out.row, parent, state.value(), draft.request.digest);
    return out;
}

}    // namespace

stored_thread ensure_thread(
    connection& db, const tenant_id& tenant, const thread_name& name, const retention_policy& defaults, std::int64_t now_ms)
{
    auto known = find_thread(db, tenant, name);
    return known ? std::move(*known) : insert_thread(db, tenant, name, defaults, now_ms);
}

result<saved_checkpoint> save_checkpoint(
    connection& db, const checkpoint_draft& draft, const retention_policy& defaults, const thread_bounds_of_tenant& bounds)
{
    const auto& row = draft.row;
    const auto before = thread_usage_of(db, row.tenant);
    auto known = find_thread(db, row.tenant, row.thread);
    const auto found = known ? facts_of(db, *known, draft.request) : facts_of_save();
    const auto decision = decide_save(draft.request, found.facts);
    if (decision.has_error() && is_about_latest(decision.error()))
        return known ? answer_with(db, *known, save_outcome::superseded, found.facts.latest)
                     : saved_checkpoint{save_outcome::superseded, {}};
    if (decision.has_error())
        return decision.error();
    if (decision->verdict == save_verdict::repeat)
        return answer_with(db, *known, save_outcome::repeated, draft.request.id);
    if (!can_use_state(db, row.tenant, draft.state))
        return saved_checkpoint{save_outcome::base_gone, {}};
    auto thread = known ? std::move(*known) : insert_thread(db, row.tenant, row.thread, defaults, row.created_at_ms);
    auto saved = append(db, thread, draft, *decision, found);
    if (saved.has_error())
        return saved;
    const auto within = check_usage(db, row.tenant, before, bounds);
    if (within.has_error())
        return within.error();
    return saved;
}

result<checkpoint_row> copy_to_end(connection& db, stored_thread& thread, const checkpoint_id& to, const checkpoint_id& copy,
    std::int64_t now_ms, const thread_bounds_of_tenant& bounds)
{
    auto target = find_checkpoint(db, thread, to);
    if (!target)
        return no_checkpoint(to);
    const auto before = thread_usage_of(db, thread.row.tenant);
    auto row = std::move(target->row);
    const auto parent = row.position;
    row.parent = row.id;
    row.rollback_of = row.id;
    row.id = copy;
    row.gap = 0;
    row.pinned = false;
    row.created_at_ms = now_ms;
    use_state_again(db, target->state_key);
    append_and_settle(db, thread, row, parent, target->state_key, {});
    const auto within = check_usage(db, thread.row.tenant, before, bounds);
    if (within.has_error())
        return within.error();
    return row;
}

result<thread_row> branch_off(connection& db, const stored_thread& from, const std::optional<checkpoint_id>& of, const thread_name& name,
    const checkpoint_id& copy, std::int64_t now_ms, const thread_bounds_of_tenant& bounds)
{
    const auto& tenant = from.row.tenant;
    auto origin = find_or_latest(db, from, of);
    if (origin.has_error())
        return origin.error();
    if (find_thread(db, tenant, name))
        return error{errc::conflict, "there is a thread " + name.str() + " already", {{"thread", "is the name of a thread that is there"}}};
    const auto before = thread_usage_of(db, tenant);
    auto row = std::move(origin->row);
    const thread_source source{from.row.key, row.position, {from.row.name, row.id}};
    auto made = insert_thread(db, tenant, name, from.row.retention, now_ms, source);
    db.prepare(sql::checkpoint::count_branches).set(":more", 1).set(":thread", from.row.key).set(":position", row.position).run();
    row.thread = name;
    row.id = copy;
    row.parent = std::nullopt;
    row.rollback_of = std::nullopt;
    row.gap = 0;
    row.pinned = false;
    row.created_at_ms = now_ms;
    use_state_again(db, origin->state_key);
    append_and_settle(db, made, row, std::nullopt, origin->state_key, {});
    const auto within = check_usage(db, tenant, before, bounds);
    if (within.has_error())
        return within.error();
    return made.row;
}

}    // namespace caisson::sqlite

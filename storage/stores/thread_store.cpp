#include "storage/stores/thread_store.hpp"

#include "storage/sql.hpp"
#include "storage/sqlite/errors.hpp"
#include "storage/stores/thread_listing.hpp"
#include "storage/stores/thread_retention.hpp"
#include "storage/stores/thread_saving.hpp"

#include <utility>

namespace caisson {

namespace {

using sqlite::connection;
using sqlite::stored_thread;

result<stored_thread> existing(connection& db, const tenant_id& tenant, const thread_name& name)
{
    auto found = sqlite::find_thread(db, tenant, name);
    return found ? result<stored_thread>(std::move(*found)) : sqlite::no_thread(name);
}

/// A read of a thread that is there. `work(connection&, const stored_thread&)` gives a result.
template <class R, class Work>
auto of_thread(tenant_id tenant, thread_name name, Work work)
{
    return [tenant = std::move(tenant), name = std::move(name), work = std::move(work)](connection& db) -> R {
        auto thread = existing(db, tenant, name);
        if (thread.has_error())
            return thread.error();
        return work(db, *thread);
    };
}

/// What was changed goes with what has no room any more.
void settle(connection& db, stored_thread& thread, std::int64_t now_ms)
{
    thread.row.updated_at_ms = std::max(thread.row.updated_at_ms, now_ms);
    sqlite::settle_thread(db, thread, now_ms, sqlite::most_dropped_aside);
}

std::vector<stored_thread> threads_from(sqlite::statement query)
{
    std::vector<stored_thread> found;
    while (query.step())
        found.push_back(sqlite::thread_from(query));
    return found;
}

std::optional<packing_base> base_of_latest(connection& db, const std::optional<stored_thread>& thread, sqlite::state_cache& cache)
{
    const auto latest = thread && thread->row.latest ? sqlite::find_checkpoint(db, *thread, *thread->row.latest) : std::nullopt;
    return latest ? std::optional(sqlite::load_base_of(db, latest->state_key, cache)) : std::nullopt;
}

result<void> add_row(connection& db, stored_thread& thread, const checkpoint_draft& draft)
{
    const auto& row = draft.row;
    std::optional<std::int64_t> parent;
    if (row.parent && !(parent = sqlite::find_position(db, thread.row.key, *row.parent)))
        return error{errc::bad_request, "a checkpoint's parent is missing: " + row.parent->str()};
    auto state = draft.state.bytes.empty() ? sqlite::find_state(db, row.tenant, draft.state.digest) : std::nullopt;
    if (state)
        sqlite::use_state_again(db, *state);
    else if (draft.state.bytes.empty())
        return error{errc::bad_request, "the state of checkpoint " + row.id.str() + " is missing"};
    else
        state = sqlite::use_state(db, row.tenant, draft.state, thread.uncounted);
    sqlite::insert_checkpoint(db, thread, row, parent, *state, draft.request.digest);
    thread.row.checkpoints += 1;
    thread.row.next_position = row.position + 1;
    return {};
}

}    // namespace

task<result<saved_checkpoint>> sqlite_thread_store::save(checkpoint_draft draft, retention_policy defaults, thread_bounds_of_tenant bounds)
{
    return db_.write([draft = std::move(draft), defaults, bounds](
                         connection& db) -> result<saved_checkpoint> { return sqlite::save_checkpoint(db, draft, defaults, bounds); });
}

task<result<std::optional<packing_base>>> sqlite_thread_store::base_of(tenant_id tenant, thread_name thread)
{
    return db_.read([this, tenant = std::move(tenant), name = std::move(thread)](connection& db) -> result<std::optional<packing_base>> {
        return base_of_latest(db, sqlite::find_thread(db, tenant, name), cache_);
    });
}

task<result<loaded_checkpoint>> sqlite_thread_store::find(
    tenant_id tenant, thread_name thread, std::optional<checkpoint_id> id, bool with_state)
{
    auto work = [this, id = std::move(id), with_state](connection& db, const stored_thread& of) -> result<loaded_checkpoint> {
        auto found = sqlite::find_or_latest(db, of, id);
        if (found.has_error())
            return found.error();
        auto state = with_state ? sqlite::load_state(db, found->state_key, found->digest, cache_) : shared_bytes();
        return loaded_checkpoint{std::move(found->row), std::move(state), std::move(found->request)};
    };
    return db_.read(of_thread<result<loaded_checkpoint>>(std::move(tenant), std::move(thread), std::move(work)));
}

task<result<checkpoint_page>> sqlite_thread_store::list(tenant_id tenant, thread_name thread, checkpoint_filter filter)
{
    auto work = [this, filter = std::move(filter)](connection& db, const stored_thread& of) -> result<checkpoint_page> {
        if (filter.thread_key && *filter.thread_key != of.row.key)
            return sqlite::no_thread(of.row.name);
        return sqlite::list_checkpoints(db, of, filter, cache_);
    };
    return db_.read(of_thread<result<checkpoint_page>>(std::move(tenant), std::move(thread), std::move(work)));
}

task<result<void>> sqlite_thread_store::erase(tenant_id tenant, thread_name thread, checkpoint_id id, std::int64_t now_ms)
{
    auto work = [id = std::move(id), now_ms](connection& db, stored_thread& of) -> result<void> {
        const auto going = sqlite::find_going(db, of.row.key, id);
        if (!going)
            return sqlite::no_checkpoint(id);
        sqlite::drop_checkpoint(db, of, *going);
        settle(db, of, now_ms);
        return {};
    };
    return db_.write_freeing(of_thread<result<void>>(std::move(tenant), std::move(thread), std::move(work)));
}

task<result<checkpoint_row>> sqlite_thread_store::pin(tenant_id tenant, thread_name thread, checkpoint_id id, bool pinned)
{
    auto work = [id = std::move(id), pinned](connection& db, const stored_thread& of) -> result<checkpoint_row> {
        db.prepare(sql::checkpoint::pin).set(":pinned", pinned).set(":thread", of.row.key).set(":id", id).run();
        auto found = sqlite::find_checkpoint(db, of, id);
        if (!found)
            return sqlite::no_checkpoint(id);
        return std::move(found->row);
    };
    return db_.write(of_thread<result<checkpoint_row>>(std::move(tenant), std::move(thread), std::move(work)));
}

task<result<thread_row>> sqlite_thread_store::find_thread(tenant_id tenant, thread_name thread)
{
    auto work = [](connection&, stored_thread& of) -> result<thread_row> { return std::move(of.row); };
    return db_.read(of_thread<result<thread_row>>(std::move(tenant), std::move(thread), std::move(work)));
}

task<result<std::vector<thread_row>>> sqlite_thread_store::list_threads(tenant_id tenant, thread_name after, std::size_t limit)
{
    return db_.read([tenant = std::move(tenant), after = std::move(after), limit](connection& db) -> result<std::vector<thread_row>> {
        auto query = db.prepare(sql::thread::list);
        query.set(":tenant", tenant).set(":after", after.str()).set(":limit", limit);
        std::vector<thread_row> rows;
        for (auto& each : threads_from(std::move(query)))
            rows.push_back(std::move(each.row));
        return rows;
    });
}

task<result<thread_row>> sqlite_thread_store::set_policy(
    tenant_id tenant, thread_name thread, retention_policy policy, std::int64_t now_ms, thread_bounds_of_tenant bounds)
{
    return db_.write([tenant = std::move(tenant), name = std::move(thread), policy, now_ms, bounds](connection& db) -> result<thread_row> {
        const auto before = sqlite::thread_usage_of(db, tenant);
        auto of = sqlite::ensure_thread(db, tenant, name, policy, now_ms);
        of.row.retention = policy;
        sqlite::settle_thread(db, of, now_ms, sqlite::most_dropped_aside);
        const auto within = sqlite::check_usage(db, tenant, before, bounds);
        if (within.has_error())
            return within.error();
        return std::move(of.row);
    });
}

task<result<bool>> sqlite_thread_store::erase_thread(tenant_id tenant, thread_name thread)
{
    auto taking = db_.write_freeing([tenant = std::move(tenant), name = std::move(thread)](
                                        connection& db) -> result<bool> { return sqlite::take_name(db, tenant, name); });
    auto taken = co_await std::move(taking);
    if (taken.has_value() && *taken)
        co_await make_room();
    db_.tidy();
    co_return taken;
}

/// Removes some of what was erased at once: on a full disk what is done when nothing waits would get no room.
task<> sqlite_thread_store::make_room()
{
    try {
        for (int i = 0; i < steps_at_once; ++i) {
            auto erasing = db_.write_freeing([](connection& db) { return sqlite::erase_some_checkpoints(db); });
            const bool more = co_await std::move(erasing);
            if (!more)
                co_return;
        }
    } catch (const storage_error&) {    // it is erased; the rest goes when there is room
    }
}

task<result<checkpoint_row>> sqlite_thread_store::roll_back_by_copy(
    tenant_id tenant, thread_name thread, checkpoint_id to, checkpoint_id copy, std::int64_t now_ms, thread_bounds_of_tenant bounds)
{
    auto work = [to = std::move(to), copy = std::move(copy), now_ms, bounds](connection& db, stored_thread& of) -> result<checkpoint_row> {
        return sqlite::copy_to_end(db, of, to, copy, now_ms, bounds);
    };
    return db_.write(of_thread<result<checkpoint_row>>(std::move(tenant), std::move(thread), std::move(work)));
}

task<result<rolled_back>> sqlite_thread_store::roll_back_by_removal(
    tenant_id tenant, thread_name thread, checkpoint_id to, std::int64_t now_ms)
{
    auto work = [to = std::move(to), now_ms](connection& db, stored_thread& of) -> result<rolled_back> {
        const auto position = sqlite::find_position(db, of.row.key, to);
        if (!position)
            return sqlite::no_checkpoint(to);
        const auto removed = sqlite::drop_behind(db, of, *position);
        if (removed.has_error())
            return removed.error();
        settle(db, of, now_ms);
        auto latest = sqlite::find_checkpoint(db, of, to);    // what went for it may have been its parent
        return rolled_back{std::move(latest->row), *removed};
    };
    return db_.write_freeing(of_thread<result<rolled_back>>(std::move(tenant), std::move(thread), std::move(work)));
}

task<result<thread_row>> sqlite_thread_store::branch(tenant_id tenant, thread_name from, std::optional<checkpoint_id> of, thread_name name,
    checkpoint_id copy, std::int64_t now_ms, thread_bounds_of_tenant bounds)
{
    auto work = [of = std::move(of), name = std::move(name), copy = std::move(copy), now_ms, bounds](
                    connection& db, const stored_thread& origin) -> result<thread_row> {
        return sqlite::branch_off(db, origin, of, name, copy, now_ms, bounds);
    };
    return db_.write(of_thread<result<thread_row>>(std::move(tenant), std::move(from), std::move(work)));
}

task<result<std::size_t>> sqlite_thread_store::retain(tenant_id tenant, thread_name thread, std::int64_t now_ms, std::size_t limit)
{
    auto work = [now_ms, limit](connection& db, stored_thread& of) -> result<std::size_t> {
        return sqlite::settle_thread(db, of, now_ms, limit).size();
    };
    return db_.write_freeing(of_thread<result<std::size_t>>(std::move(tenant), std::move(thread), std::move(work)));
}

task<result<bool>> sqlite_thread_store::has_due(std::int64_t now_ms)
{
    return db_.read(
        [now_ms](connection& db) -> result<bool> { return db.prepare(sql::thread::due).set(":now", now_ms).set(":limit", 1).step(); });
}

task<result<std::size_t>> sqlite_thread_store::retain_due(std::int64_t now_ms, std::size_t limit)
{
    return db_.write_freeing([now_ms, limit](connection& db) -> result<std::size_t> {
        auto query = db.prepare(sql::thread::due);
        query.set(":now", now_ms).set(":limit", limit);
        std::size_t dropped = 0;
        for (auto& each : threads_from(std::move(query)))
            if (dropped < limit)
                dropped += sqlite::settle_thread(db, each, now_ms, limit - dropped).size();
        return dropped;
    });
}

task<result<thread_usage>> sqlite_thread_store::usage(tenant_id tenant)
{
    return db_.read([tenant = std::move(tenant)](connection& db) -> result<thread_usage> { return sqlite::thread_usage_of(db, tenant); });
}

task<result<thread_import>> sqlite_thread_store::begin_import(tenant_id tenant, std::int64_t now_ms, thread_bounds_of_tenant bounds)
{
    return db_.write([tenant = std::move(tenant), now_ms, bounds](connection& db) -> result<thread_import> {
        const auto before = sqlite::thread_usage_of(db, tenant);
        const auto made = sqlite::insert_thread(db, tenant, thread_name(), retention_policy(), now_ms);
        const auto within = sqlite::check_usage(db, tenant, before, bounds);
        if (within.has_error())
            return within.error();
        return thread_import{tenant, made.row.key};
    });
}

task<result<void>> sqlite_thread_store::add_imported(thread_import to, std::vector<checkpoint_draft> drafts, thread_bounds_of_tenant bounds)
{
    return db_.write([to = std::move(to), drafts = std::move(drafts), bounds](connection& db) -> result<void> {
        auto thread = sqlite::find_thread_by_key(db, to.tenant, to.key);
        if (!thread)
            return error{errc::not_found, "the import is over"};
        const auto before = sqlite::thread_usage_of(db, to.tenant);
        for (const auto& each : drafts) {
            auto added = add_row(db, *thread, each);
            if (added.has_error())
                return added;
        }
        sqlite::change_thread(db, *thread);
        return sqlite::check_usage(db, to.tenant, before, bounds);
    });
}

task<result<std::optional<packing_base>>> sqlite_thread_store::base_of_import(thread_import of)
{
    return db_.read([this, of = std::move(of)](connection& db) -> result<std::optional<packing_base>> {
        return base_of_latest(db, sqlite::find_thread_by_key(db, of.tenant, of.key), cache_);
    });
}

task<result<thread_row>> sqlite_thread_store::finish_import(
    thread_import which, thread_name name, retention_policy policy, std::int64_t now_ms)
{
    return db_.write([which = std::move(which), name = std::move(name), policy, now_ms](connection& db) -> result<thread_row> {
        db.prepare(sql::thread::give_name).set(":name", name.str()).set(":key", which.key).set(":tenant", which.tenant).run();
        if (db.changes() == 0)
            return error{errc::conflict, "there is a thread " + name.str() + " already", {{"thread", "is there already"}}};
        auto thread = sqlite::find_thread_by_key(db, which.tenant, which.key);
        thread->row.retention = policy;
        sqlite::settle_thread(db, *thread, now_ms, sqlite::most_dropped_aside);
        return std::move(thread->row);
    });
}

task<result<void>> sqlite_thread_store::drop_import(thread_import which)
{
    auto dropping = db_.write([which = std::move(which)](connection& db) -> result<void> {
        db.prepare(sql::thread::end_import).set(":key", which.key).set(":tenant", which.tenant).run();
        return {};
    });
    auto dropped = co_await std::move(dropping);
    db_.tidy();
    co_return dropped;
}

void sqlite_thread_store::drop_unfinished_imports(connection& db) { db.prepare(sql::thread::end_imports).run(); }

}    // namespace caisson

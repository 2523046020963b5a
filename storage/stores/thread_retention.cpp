#include "storage/stores/thread_retention.hpp"

#include "storage/sql.hpp"
#include "storage/sqlite/transaction.hpp"

namespace caisson::sqlite {

namespace {

constexpr std::int64_t erased_in_a_step = 64;

going_checkpoint going_from(const statement& query)
{
    column_reader columns(query);
    going_checkpoint checkpoint;
    checkpoint.position = columns.integer();
    checkpoint.state_key = columns.integer();
    checkpoint.created_at_ms = columns.integer();
    checkpoint.pinned = columns.flag();
    checkpoint.is_branched_off = columns.integer() > 0;
    checkpoint.artifacts = columns.text();
    checkpoint.bytes = checkpoint_row_bytes + columns.integer();
    return checkpoint;
}

/// What goes, and when the first that stays for now is over.
struct excess {
    std::vector<going_checkpoint> going;
    std::optional<std::int64_t> next_ms;
};

/// The rule of plan_retention(), by a look at the oldest: times within a thread never go back, so that behind the first that may go
/// and does not all stay.
excess find_excess(connection& db, const stored_thread& thread, std::int64_t now_ms, std::size_t limit)
{
    const auto& policy = thread.row.retention;
    excess found;
    if (thread.row.checkpoints <= policy.max_checkpoints && !policy.ttl_ms)
        return found;
    auto query = db.prepare(sql::checkpoint::oldest);
    query.bind(thread.row.key, thread.row.checkpoints);
    for (auto newer = thread.row.checkpoints - 1; newer > 0 && query.step(); --newer) {
        auto going = going_from(query);
        if (going.pinned || going.is_branched_off)
            continue;
        const auto over_at_ms = policy.ttl_ms ? std::optional(going.created_at_ms + *policy.ttl_ms) : std::nullopt;
        const bool goes = newer >= policy.max_checkpoints || (over_at_ms && *over_at_ms <= now_ms);
        if (!goes || found.going.size() == limit) {
            found.next_ms = goes ? std::optional(now_ms) : over_at_ms;
            break;
        }
        found.going.push_back(std::move(going));
    }
    return found;
}

/// Without looking after its neighbours.
void erase_checkpoint(connection& db, std::int64_t thread_key, const going_checkpoint& checkpoint, totals_change& uncounted)
{
    for (const auto& [execution, path] : artifacts_from(checkpoint.artifacts))
        db.prepare(sql::checkpoint::erase_artifact).bind(execution, path, thread_key, checkpoint.position).run();
    db.prepare(sql::checkpoint::erase).bind(thread_key, checkpoint.position).run();
    release_state(db, checkpoint.state_key, uncounted);
    uncounted.checkpoints -= 1;
    uncounted.bytes -= checkpoint.bytes;
}

std::vector<going_checkpoint> all_from(statement query)
{
    std::vector<going_checkpoint> all;
    while (query.step())
        all.push_back(going_from(query));
    return all;
}

struct erased_thread {
    std::int64_t key = 0;
    tenant_id tenant;
};

std::optional<erased_thread> next_erased_thread(connection& db)
{
    auto next = db.prepare(sql::thread::next_erased);
    if (!next.step())
        return std::nullopt;
    column_reader columns(next);
    erased_thread found;
    found.key = columns.integer();
    found.tenant = columns.id<tenant_id>();
    return found;
}

/// Hangs the children of `dropped` on its parent.
void relink_children(connection& db, std::int64_t thread_key, std::int64_t dropped)
{
    std::vector<std::int64_t> children;
    for (auto query = std::move(db.prepare(sql::checkpoint::find_children).bind(thread_key, dropped)); query.step();)
        children.push_back(query.integer(0));
    if (children.empty())
        return;
    auto link = db.prepare(sql::checkpoint::find_link);
    link.bind(thread_key, dropped).step();
    const auto parent = link.is_null(0) ? std::nullopt : std::optional(link.integer(0));
    auto relink = db.prepare(sql::checkpoint::relink);
    for (const auto child : children)
        relink.bind(parent, link.integer(1), thread_key, child).run();
}

}    // namespace

std::optional<going_checkpoint> find_going(connection& db, std::int64_t thread_key, const checkpoint_id& id)
{
    auto query = db.prepare(sql::checkpoint::find_going);
    return query.bind(thread_key, id).step() ? std::optional(going_from(query)) : std::nullopt;
}

void drop_checkpoint(connection& db, stored_thread& thread, const going_checkpoint& checkpoint)
{
    relink_children(db, thread.row.key, checkpoint.position);
    erase_checkpoint(db, thread.row.key, checkpoint, thread.uncounted);
    thread.row.checkpoints -= 1;
}

std::vector<std::int64_t> settle_thread(connection& db, stored_thread& thread, std::int64_t now_ms, std::size_t limit)
{
    const auto found = find_excess(db, thread, now_ms, limit);
    std::vector<std::int64_t> dropped;
    for (const auto& each : found.going) {
        drop_checkpoint(db, thread, each);
        dropped.push_back(each.position);
    }
    thread.expires_at_ms = found.next_ms;
    change_thread(db, thread);
    return dropped;
}

result<std::int64_t> drop_behind(connection& db, stored_thread& thread, std::int64_t position)
{
    if (auto pinned = db.prepare(sql::checkpoint::find_pinned_behind); pinned.bind(thread.row.key, position).step())
        return error{errc::conflict, "checkpoint " + std::string(pinned.view(0)) + " is pinned and would be removed: unpin it first"};
    auto query = db.prepare(sql::checkpoint::newest);
    query.bind(thread.row.key, position);
    const auto going = all_from(std::move(query));
    for (const auto& each : going)
        erase_checkpoint(db, thread.row.key, each, thread.uncounted);
    thread.row.checkpoints -= static_cast<std::int64_t>(going.size());
    return static_cast<std::int64_t>(going.size());
}

bool take_name(connection& db, const tenant_id& tenant, const thread_name& name)
{
    auto take = db.prepare(sql::thread::take_name);
    take.set(":tenant", tenant).set(":name", name.str());
    if (!take.step())
        return false;
    if (take.is_null(0))
        return true;
    auto count = db.prepare(sql::checkpoint::count_branches);
    count.set(":more", -1).set(":thread", take.integer(0)).set(":position", take.integer(1)).run();
    db.prepare(sql::thread::look_again).bind(take.integer(0)).run();
    return true;
}

bool erase_some_checkpoints(connection& db)
{
    const auto next = next_erased_thread(db);
    if (!next)
        return false;
    auto query = db.prepare(sql::checkpoint::oldest);
    query.bind(next->key, erased_in_a_step);
    const auto going = all_from(std::move(query));
    totals_change uncounted;
    for (const auto& each : going)
        erase_checkpoint(db, next->key, each, uncounted);
    add_to_totals(db, next->tenant, uncounted);
    if (going.empty())
        db.prepare(sql::thread::erase).bind(next->key).run();
    return true;
}

bool tidy_threads(connection& db)
{
    if (!next_erased_thread(db))
        return false;
    transaction all(db, transaction_kind::write);
    const bool more = erase_some_checkpoints(db);
    all.commit();
    return more;
}

}    // namespace caisson::sqlite

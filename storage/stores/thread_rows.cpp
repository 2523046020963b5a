#include "storage/stores/thread_rows.hpp"

#include "core/base/hasher.hpp"
#include "storage/sql.hpp"
#include "storage/stores/tenant_quota.hpp"

#include <algorithm>
#include <utility>

namespace caisson::sqlite {

namespace {

std::optional<stored_thread> one_thread(statement query) { return query.step() ? std::optional(thread_from(query)) : std::nullopt; }

/// As SQLite's length(): the characters of UTF-8 before the first NUL (sqlite.org/lang_corefunc.html).
std::int64_t length_of(std::string_view text)
{
    const auto before_nul = text.substr(0, text.find('\0'));
    return std::count_if(before_nul.begin(), before_nul.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
}

void insert_artifacts(connection& db, std::int64_t thread_key, const checkpoint_row& row)
{
    if (row.references.artifacts.empty())
        return;
    auto insert = db.prepare(sql::checkpoint::insert_artifact);
    for (const auto& [execution, path] : row.references.artifacts)
        insert.bind(execution, path, thread_key, row.position).run();
}

}    // namespace

stored_thread thread_from(const statement& query)
{
    column_reader columns(query);
    stored_thread found;
    auto& row = found.row;
    row.key = columns.integer();
    row.tenant = columns.id<tenant_id>();
    row.name = thread_name(columns.text());
    row.retention.max_checkpoints = columns.integer();
    row.retention.ttl_ms = columns.optional_integer();
    row.checkpoints = columns.integer();
    row.next_position = columns.integer();
    thread_name source(columns.text());
    auto source_id = columns.id<checkpoint_id>();
    if (!source.empty())
        row.branched_from = checkpoint_place{std::move(source), std::move(source_id)};
    row.created_at_ms = columns.integer();
    row.updated_at_ms = columns.integer();
    found.expires_at_ms = columns.optional_integer();
    if (columns.present())
        row.latest = columns.id<checkpoint_id>();
    return found;
}

std::optional<stored_thread> find_thread(connection& db, const tenant_id& tenant, const thread_name& name)
{
    auto query = db.prepare(sql::thread::find);
    query.set(":tenant", tenant).set(":name", name.str());
    return one_thread(std::move(query));
}

std::optional<stored_thread> find_thread_by_key(connection& db, const tenant_id& tenant, std::int64_t key)
{
    auto query = db.prepare(sql::thread::find_by_key);
    query.set(":tenant", tenant).set(":key", key);
    return one_thread(std::move(query));
}

stored_thread insert_thread(connection& db, const tenant_id& tenant, const thread_name& name, const retention_policy& policy,
    std::int64_t now_ms, const std::optional<thread_source>& source)
{
    stored_thread made;
    made.row = {0, tenant, name, policy, std::nullopt, 0, 1, std::nullopt, now_ms, now_ms};
    if (source)
        made.row.branched_from = source->place;
    auto insert = db.prepare(sql::thread::insert);
    insert.set(":tenant", tenant).set(":importing", name.empty()).set(":now", now_ms);
    insert.set(":name", name.empty() ? std::nullopt : std::optional(name.str()));
    insert.set(":max_checkpoints", policy.max_checkpoints).set(":ttl_ms", policy.ttl_ms);
    insert.set(":source_key", source ? std::optional(source->key) : std::nullopt);
    insert.set(":source_position", source ? std::optional(source->position) : std::nullopt);
    insert.set(":source_thread", source ? source->place.thread.str() : std::string());
    insert.set(":source_id", source ? source->place.id.str() : std::string()).run();
    made.row.key = db.last_key();
    return made;
}

void change_thread(connection& db, stored_thread& thread)
{
    add_to_totals(db, thread.row.tenant, std::exchange(thread.uncounted, {}));
    const auto& row = thread.row;
    auto change = db.prepare(sql::thread::change);
    change.set(":max_checkpoints", row.retention.max_checkpoints).set(":ttl_ms", row.retention.ttl_ms);
    change.set(":checkpoints", row.checkpoints).set(":next_position", row.next_position);
    change.set(":updated_at_ms", row.updated_at_ms).set(":expires_at_ms", thread.expires_at_ms).set(":key", thread.row.key).run();
}

error no_thread(const thread_name& name) { return {errc::not_found, "there is no thread " + name.str()}; }

error no_checkpoint(const checkpoint_id& id) { return {errc::not_found, "the thread has no checkpoint " + id.str()}; }

std::optional<last_checkpoint> find_last(connection& db, std::int64_t thread_key)
{
    auto query = db.prepare(sql::checkpoint::find_last);
    if (!query.bind(thread_key).step())
        return std::nullopt;
    column_reader columns(query);
    last_checkpoint last;
    last.position = columns.integer();
    last.id = columns.id<checkpoint_id>();
    last.created_at_ms = columns.integer();
    return last;
}

stored_checkpoint checkpoint_from(const statement& query, const stored_thread& thread)
{
    column_reader columns(query);
    stored_checkpoint found;
    auto& row = found.row;
    row.tenant = thread.row.tenant;
    row.thread = thread.row.name;
    row.position = columns.integer();
    row.id = columns.id<checkpoint_id>();
    row.gap = columns.integer();
    row.created_at_ms = columns.integer();
    row.pinned = columns.flag();
    row.metadata.step = columns.optional_integer();
    row.metadata.node_id = columns.text();
    row.rollback_of = columns.present() ? std::optional(columns.id<checkpoint_id>()) : columns.skip();
    row.references.execution = columns.present() ? std::optional(columns.id<execution_id>()) : columns.skip();
    row.references.snapshot = columns.text();
    row.state.media_type = columns.text();
    found.state_key = columns.integer();
    found.digest = columns.text();
    row.state.digest = to_hex(found.digest);
    row.state.size_bytes = columns.integer();
    row.parent = columns.present() ? std::optional(columns.id<checkpoint_id>()) : columns.skip();
    row.metadata.tags = tags_from(columns.view());
    row.references.artifacts = artifacts_from(columns.view());
    row.metadata.custom = columns.text();
    found.request = columns.text();
    return found;
}

std::optional<stored_checkpoint> find_checkpoint(connection& db, const stored_thread& thread, const checkpoint_id& id)
{
    auto query = db.prepare(sql::checkpoint::find);
    return query.bind(thread.row.key, id).step() ? std::optional(checkpoint_from(query, thread)) : std::nullopt;
}

result<stored_checkpoint> find_or_latest(connection& db, const stored_thread& thread, const std::optional<checkpoint_id>& id)
{
    const auto& wanted = id ? id : thread.row.latest;
    if (!wanted)
        return error{errc::not_found, "the thread " + thread.row.name.str() + " has no checkpoint"};
    auto found = find_checkpoint(db, thread, *wanted);
    if (!found)
        return no_checkpoint(*wanted);
    return std::move(*found);
}

std::optional<std::int64_t> find_position(connection& db, std::int64_t thread_key, const checkpoint_id& id)
{
    auto query = db.prepare(sql::checkpoint::find_place);
    return query.bind(thread_key, id).step() ? std::optional(query.integer(0)) : std::nullopt;
}

std::string tags_text(const std::vector<std::string>& tags)
{
    std::string text;
    for (const auto& tag : tags)
        text.append("\n").append(tag);
    return tags.empty() ? text : text + "\n";
}

std::vector<std::string> tags_from(std::string_view text)
{
    std::vector<std::string> tags;
    while (text.size() > 1) {
        text.remove_prefix(1);
        const auto end = text.find('\n');
        tags.emplace_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return tags;
}

void append_checkpoint(connection& db, stored_thread& thread, checkpoint_row& row, std::optional<std::int64_t> parent_position,
    std::int64_t state_key, std::string_view request)
{
    row.position = thread.row.next_position++;
    if (const auto last = find_last(db, thread.row.key))
        row.created_at_ms = std::max(row.created_at_ms, last->created_at_ms);
    insert_checkpoint(db, thread, row, parent_position, state_key, request);
    thread.row.checkpoints += 1;
    thread.row.latest = row.id;
    thread.row.updated_at_ms = std::max(thread.row.updated_at_ms, row.created_at_ms);
}

void insert_checkpoint(connection& db, stored_thread& thread, const checkpoint_row& row, std::optional<std::int64_t> parent_position,
    std::int64_t state_key, std::string_view request)
{
    auto insert = db.prepare(sql::checkpoint::insert);
    insert.bind(thread.row.key, row.position, row.id, parent_position, row.gap, state_key, row.created_at_ms, row.pinned);
    insert.bind(row.metadata.step, row.metadata.node_id, row.rollback_of, row.references.execution, row.references.snapshot);
    insert.bind(row.state.media_type, borrowed_blob{request.empty() ? std::string_view("") : request});
    const auto tags = tags_text(row.metadata.tags);
    const auto artifacts = artifacts_text(row.references.artifacts);
    insert.bind(borrowed_text{tags}, borrowed_text{artifacts}, borrowed_text{row.metadata.custom}).run();
    insert_artifacts(db, thread.row.key, row);
    thread.uncounted.checkpoints += 1;
    thread.uncounted.bytes += checkpoint_row_bytes + length_of(tags) + length_of(artifacts) + length_of(row.metadata.custom);
}

void add_to_totals(connection& db, const tenant_id& tenant, const totals_change& change)
{
    if (change != totals_change())
        db.prepare(sql::thread::add_to_totals).bind(change.checkpoints, change.states, change.bytes, tenant).run();
}

thread_usage thread_usage_of(connection& db, const tenant_id& tenant)
{
    auto query = db.prepare(sql::thread::find_totals);
    if (!query.bind(tenant).step())
        return {};
    return {query.integer(0), query.integer(1), query.integer(2), query.integer(3)};
}

result<void> check_usage(connection& db, const tenant_id& tenant, const thread_usage& before, const thread_bounds_of_tenant& bounds)
{
    const auto now = thread_usage_of(db, tenant);
    if (now.bytes > bounds.max_bytes && now.bytes > before.bytes)
        return tenant_is_full("the threads of this tenant have " + std::to_string(before.bytes) + " bytes, with this more than the " +
                                  std::to_string(bounds.max_bytes) +
                                  " that they may have; delete checkpoints or threads that are not needed",
            "threads.max_bytes_per_tenant", bounds.max_bytes);
    if (now.threads > bounds.max_threads && now.threads > before.threads)
        return tenant_is_full(
            "this tenant has " + std::to_string(bounds.max_threads) + " threads, which is the most it may have; delete some",
            "threads.max_threads_per_tenant", bounds.max_threads);
    return {};
}

}    // namespace caisson::sqlite

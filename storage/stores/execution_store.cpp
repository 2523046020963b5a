#include "storage/stores/execution_store.hpp"

#include "storage/sql.hpp"
#include "storage/stores/artifact_rows.hpp"
#include "storage/stores/event_store.hpp"
#include "storage/stores/execution_columns.hpp"
#include "storage/stores/execution_end.hpp"
#include "storage/stores/execution_rows.hpp"
#include "storage/stores/idempotency_rows.hpp"
#include "storage/stores/sandbox_store.hpp"

namespace caisson {

namespace {

constexpr std::size_t all_artifacts = std::numeric_limits<std::int64_t>::max();
constexpr std::string_view after_all_ids = "\x7f";

/// A page of unfinished executions ends with the spec that brings it to so many bytes.
constexpr std::size_t unfinished_page_bytes = 8 << 20;

/// The most selective of the list statements, with its own parameters bound.
sqlite::statement list_statement(sqlite::connection& db, const execution_filter& wanted)
{
    if (wanted.label) {
        auto query = db.prepare(sql::execution::list_by_label);
        query.set(":label_name", wanted.label->first).set(":label_value", wanted.label->second);
        query.set(":skill", wanted.skill);
        return query;
    }
    if (wanted.skill) {
        auto query = db.prepare(sql::execution::list_by_skill);
        query.set(":skill", *wanted.skill);
        return query;
    }
    return db.prepare(wanted.status ? sql::execution::list_by_status : sql::execution::list);
}

std::int64_t find_kept_bytes(sqlite::connection& db, const execution_id& id)
{
    auto query = db.prepare(sql::execution::find_kept_bytes);
    return query.bind(id).step() ? query.integer(0) : 0;
}

kept_execution kept_execution_from(sqlite::column_reader& columns)
{
    kept_execution kept;
    kept.id = columns.id<execution_id>();
    kept.tenant = columns.id<tenant_id>();
    kept.created_at_ms = columns.integer();
    kept.finished_at_ms = columns.optional_integer();
    kept.is_needed = columns.flag();
    return kept;
}

}    // namespace

template <class F>
task<result<void>> sqlite_execution_store::insert_with_body(
    execution_id id, std::shared_ptr<const execution_spec> spec, F insert, std::optional<key_bound> key_of)
{
    spec_body_writer::written body;
    bool is_ahead = spec_body_writer::is_large(*spec);
    if (is_ahead && key_of) {    // a body of megabytes is not written to be refused
        auto counting = db_.read([tenant = key_of->tenant](sqlite::connection& db) { return sqlite::count_keys(db, tenant); });
        is_ahead = co_await std::move(counting) < key_of->most;
    }
    if (is_ahead) {
        auto writing = bodies_.write_ahead(id, *spec);
        body = co_await std::move(writing);
    }
    auto record = [insert = std::move(insert), has_body = body.is_there()](
                      sqlite::connection& db) -> result<void> { return insert(db, has_body); };
    auto recording = db_.write(std::move(record));
    auto done = co_await std::move(recording);
    if (done.has_value() && body.is_there())
        with_bodies_.insert(std::move(id));
    if (done.has_value())
        body.keep();
    co_return done;
}

/// `end(connection&)` ends the execution, and its body with it.
template <class F>
task<result<void>> sqlite_execution_store::end_with_body(execution_id id, F end)
{
    auto ending = db_.write([id, end = std::move(end)](sqlite::connection& db) {
        auto done = end(db);
        if (done.has_value())
            sqlite::abandon_spec_body(db, id);
        return done;
    });
    auto done = co_await std::move(ending);
    if (done.has_value()) {
        with_bodies_.erase(id);
        db_.tidy();
    }
    co_return done;
}

task<result<void>> sqlite_execution_store::insert(execution_row row, execution_spec spec)
{
    auto kept = std::make_shared<const execution_spec>(std::move(spec));
    auto id = row.id;
    return insert_with_body(std::move(id), kept, [row = std::move(row), kept](sqlite::connection& db, bool has_body) -> result<void> {
        return sqlite::insert_execution(db, row, *kept, 0, has_body);
    });
}

task<result<void>> sqlite_execution_store::insert_begun(execution_row row, execution_spec spec, sandbox_row where)
{
    auto kept = std::make_shared<const execution_spec>(std::move(spec));
    auto id = row.id;
    return insert_with_body(
        std::move(id), kept, [row = std::move(row), kept, where = std::move(where)](sqlite::connection& db, bool has_body) {
            auto done = sqlite::insert_execution(db, row, *kept, 0, has_body);
            if (done.has_value())
                done = sqlite::insert_sandbox(db, where);
            return done.has_value() ? sqlite::update_execution(db, row) : done;
        });
}

task<result<void>> sqlite_execution_store::insert_ended(execution_end end, execution_spec spec)
{
    return db_.write([end = std::move(end), spec = std::move(spec)](sqlite::connection& db) {
        const auto done = sqlite::insert_execution(db, end.row, spec, end.kept_bytes);
        if (done.has_error())
            return done;
        sqlite::insert_artifacts(db, end.artifacts);
        return sqlite::insert_whole_log(db, end.row.id, end.log);
    });
}

task<result<void>> sqlite_execution_store::insert_with_key(
    execution_row row, execution_spec spec, idempotency_record key, std::size_t most_keys)
{
    auto kept = std::make_shared<const execution_spec>(std::move(spec));
    auto id = row.id;
    key_bound bound{row.tenant, most_keys};
    return insert_with_body(
        std::move(id), kept,
        [row = std::move(row), kept, key = std::move(key), most_keys](sqlite::connection& db, bool has_body) {
            auto noted = sqlite::insert_key(db, key, most_keys);
            return noted.has_error() ? noted : sqlite::insert_execution(db, row, *kept, 0, has_body);
        },
        std::move(bound));
}

task<result<idempotency_record>> sqlite_execution_store::find_key(tenant_id tenant, std::string route, std::string key)
{
    return db_.read([tenant = std::move(tenant), route = std::move(route), key = std::move(key)](
                        sqlite::connection& db) { return sqlite::find_key(db, tenant, route, key); });
}

task<result<std::size_t>> sqlite_execution_store::erase_expired_keys(std::int64_t now_ms, std::size_t limit)
{
    return db_.write(
        [now_ms, limit](sqlite::connection& db) -> result<std::size_t> { return sqlite::erase_expired_keys(db, now_ms, limit); });
}

task<result<void>> sqlite_execution_store::update(execution_row row)
{
    const bool ends_body = is_final(row.status) && with_bodies_.contains(row.id);
    auto id = row.id;
    auto change = [row = std::move(row)](sqlite::connection& db) { return sqlite::update_execution(db, row); };
    return ends_body ? end_with_body(std::move(id), std::move(change)) : db_.write(std::move(change));
}

task<result<void>> sqlite_execution_store::finish(execution_end end)
{
    const bool ends_body = with_bodies_.contains(end.row.id);
    auto id = end.row.id;
    auto change = [end = std::move(end)](sqlite::connection& db) -> result<void> {
        if (auto logged = sqlite::insert_whole_log(db, end.row.id, end.log); logged.has_error())
            return logged;
        if (end.checkpoint)
            return sqlite::finish_with_checkpoint(db, end);
        auto updated = sqlite::update_execution(db, end.row, end.kept_bytes);
        if (updated.has_value())
            sqlite::insert_artifacts(db, end.artifacts);
        return updated;
    };
    return ends_body ? end_with_body(std::move(id), std::move(change)) : db_.write(std::move(change));
}

task<result<void>> sqlite_execution_store::request_cancel(tenant_id tenant, execution_id id)
{
    return db_.write([tenant = std::move(tenant), id = std::move(id)](sqlite::connection& db) -> result<void> {
        db.prepare(sql::execution::request_cancel).bind(id, tenant).run();
        if (db.changes() == 0)
            return sqlite::refused_change(db, tenant, id);
        return {};
    });
}

task<result<execution_row>> sqlite_execution_store::find(tenant_id tenant, execution_id id)
{
    return db_.read(
        [tenant = std::move(tenant), id = std::move(id)](sqlite::connection& db) { return sqlite::find_execution(db, tenant, id); });
}

task<result<execution_payload>> sqlite_execution_store::find_payload(tenant_id tenant, execution_id id, std::size_t most_bytes)
{
    return db_.read([tenant = std::move(tenant), id = std::move(id), most_bytes](
                        sqlite::connection& db) { return sqlite::find_payload(db, tenant, id, most_bytes); });
}

task<result<payload_piece>> sqlite_execution_store::read_payload(
    tenant_id tenant, execution_id id, payload_part part, std::uint64_t offset, std::size_t most_bytes)
{
    return db_.read([tenant = std::move(tenant), id = std::move(id), part, offset, most_bytes](
                        sqlite::connection& db) { return sqlite::read_payload(db, tenant, id, part, offset, most_bytes); });
}

task<result<execution_spec>> sqlite_execution_store::find_spec(tenant_id tenant, execution_id id)
{
    return db_.read([tenant = std::move(tenant), id = std::move(id)](sqlite::connection& db) -> result<execution_spec> {
        auto query = db.prepare(sql::execution::find_spec);
        if (!query.bind(id, tenant).step())
            return error{errc::not_found, "no unfinished execution " + id.str()};
        const auto body = query.integer(1) != 0 ? sqlite::find_spec_body(db, id) : shared_bytes();
        return spec_from_json(query.view(0), body);
    });
}

task<result<std::vector<execution_row>>> sqlite_execution_store::list(tenant_id tenant, execution_filter filter)
{
    return db_.read([tenant = std::move(tenant), wanted = std::move(filter)](sqlite::connection& db) -> result<std::vector<execution_row>> {
        const auto status = wanted.status ? std::optional(to_string(*wanted.status)) : std::nullopt;
        const auto kind = wanted.kind ? std::optional(to_string(*wanted.kind)) : std::nullopt;
        auto query = list_statement(db, wanted);
        query.set(":tenant", tenant).set(":status", status).set(":kind", kind).set(":limit", wanted.limit);
        query.set(":created_from", wanted.created_from_ms).set(":created_before", wanted.created_before_ms);
        query.set(":before", wanted.before ? std::string_view(wanted.before->str()) : after_all_ids);
        std::vector<execution_row> page;
        while (query.step()) {
            sqlite::column_reader columns(query);
            page.push_back(sqlite::execution_from(columns));
        }
        return page;
    });
}

task<result<removed_execution>> sqlite_execution_store::erase(tenant_id tenant, execution_id id)
{
    return db_.write_freeing([tenant = std::move(tenant), id = std::move(id)](sqlite::connection& db) -> result<removed_execution> {
        const auto row = sqlite::find_execution(db, tenant, id);
        if (row.has_error())
            return row.error();
        if (!is_final(row->status))
            return error{errc::conflict, "execution " + id.str() + " has not ended"};
        auto label = db.prepare(sql::execution::erase_label);
        for (const auto& [name, value] : row->labels)
            label.bind(tenant, name, value, id).run();
        sqlite::erase_whole_log(db, id);
        removed_execution removed;
        removed.kept_bytes = find_kept_bytes(db, id);
        db.prepare(sql::execution::erase).bind(id).run();
        removed.contents = sqlite::erase_artifacts(db, tenant, id, all_artifacts);
        return removed;
    });
}

task<result<std::vector<unfinished_execution>>> sqlite_execution_store::unfinished(execution_id after, std::size_t limit)
{
    auto reading = db_.read([after = std::move(after), limit](sqlite::connection& db) -> result<std::vector<unfinished_execution>> {
        auto query = db.prepare(sql::execution::unfinished);
        query.bind(after, limit);
        std::vector<unfinished_execution> page;
        std::size_t bytes = 0;
        while (bytes < unfinished_page_bytes && query.step()) {
            sqlite::column_reader columns(query);
            auto row = sqlite::execution_from(columns);
            const auto spec = columns.view();
            const auto body = columns.flag() ? sqlite::find_spec_body(db, row.id) : shared_bytes();
            bytes += spec.size() + body.size();
            page.push_back({std::move(row), spec_from_json(spec, body)});
        }
        return page;
    });
    auto page = co_await std::move(reading);
    if (page.has_value())
        for (const auto& each : *page)
            if (spec_body_writer::is_large(each.spec))
                with_bodies_.insert(each.row.id);
    co_return page;
}

task<result<execution_totals>> sqlite_execution_store::totals(tenant_id tenant)
{
    return db_.read([tenant = std::move(tenant)](sqlite::connection& db) -> result<execution_totals> {
        auto query = db.prepare(sql::execution::totals);
        query.bind(tenant);
        execution_totals found;
        while (query.step()) {
            sqlite::column_reader columns(query);
            const auto part = columns.text();
            auto name = columns.text();
            auto& tally = part.empty() ? found.all : part == "skill" ? found.by_skill[std::move(name)] : found.by_language[std::move(name)];
            for (auto* each :
                {&tally.total, &tally.success, &tally.failed, &tally.timeout, &tally.cancelled, &tally.interrupted, &tally.duration_ms})
                *each = columns.integer();
            found.kept_bytes += columns.integer();
        }
        return found;
    });
}

task<result<std::vector<kept_execution>>> sqlite_execution_store::oldest(
    std::optional<tenant_id> tenant, execution_id after, std::size_t limit)
{
    return db_.read(
        [tenant = std::move(tenant), after = std::move(after), limit](sqlite::connection& db) -> result<std::vector<kept_execution>> {
            auto query = db.prepare(tenant ? sql::execution::list_oldest_of_tenant : sql::execution::list_oldest);
            if (tenant)
                query.set(":tenant", *tenant);
            query.set(":after", after).set(":limit", limit);
            std::vector<kept_execution> page;
            while (query.step()) {
                sqlite::column_reader columns(query);
                page.push_back(kept_execution_from(columns));
            }
            return page;
        });
}

task<result<std::vector<std::pair<tenant_id, std::int64_t>>>> sqlite_execution_store::kept_bytes()
{
    return db_.read([](sqlite::connection& db) -> result<std::vector<std::pair<tenant_id, std::int64_t>>> {
        auto query = db.prepare(sql::execution::list_kept_bytes);
        std::vector<std::pair<tenant_id, std::int64_t>> all;
        while (query.step()) {
            sqlite::column_reader columns(query);
            auto tenant = columns.id<tenant_id>();
            all.emplace_back(std::move(tenant), columns.integer());
        }
        return all;
    });
}

task<result<std::vector<sandbox_id>>> sqlite_execution_store::sandboxes_in_use()
{
    return db_.read([](sqlite::connection& db) -> result<std::vector<sandbox_id>> {
        auto query = db.prepare(sql::execution::sandboxes_in_use);
        std::vector<sandbox_id> all;
        while (query.step())
            all.push_back(sqlite::column_reader(query).id<sandbox_id>());
        return all;
    });
}

}    // namespace caisson

#include "storage/stores/sandbox_store.hpp"

#include "storage/sql.hpp"
#include "storage/sqlite/enums.hpp"
#include "storage/stores/label_text.hpp"

namespace caisson {

namespace {

sandbox_row sandbox_row_from(const sqlite::statement& query)
{
    sqlite::column_reader columns(query);
    sandbox_row row;
    row.id = columns.id<sandbox_id>();
    row.tenant = columns.id<tenant_id>();
    row.holder.kind = sqlite::stored(holder_kind_from, columns.view());
    row.holder.id = columns.text();
    row.runtime = columns.text();
    row.state = sqlite::stored(sandbox_state_from, columns.view());
    row.runtime_state = columns.text();
    row.spec = columns.text();
    row.labels = sqlite::labels_from(columns.view());
    row.cause = columns.text();
    row.created_at_ms = columns.integer();
    row.expires_at_ms = columns.optional_integer();
    row.ended_at_ms = columns.optional_integer();
    return row;
}

}    // namespace

result<void> sqlite::insert_sandbox(connection& db, const sandbox_row& row)
{
    db.prepare(sql::sandbox::insert)
        .bind(row.id, row.tenant, to_string(row.holder.kind), row.holder.id, row.runtime, to_string(row.state), row.runtime_state, row.spec,
            label_text(row.labels), row.cause, row.created_at_ms, row.expires_at_ms, row.ended_at_ms)
        .run();
    if (db.changes() == 0)
        return error{errc::conflict, "sandbox " + row.id.str() + " exists"};
    return {};
}

task<result<void>> sqlite_sandbox_store::insert(sandbox_row row)
{
    return db_.write([row = std::move(row)](sqlite::connection& db) { return sqlite::insert_sandbox(db, row); });
}

task<result<void>> sqlite_sandbox_store::update(
    sandbox_id id, sandbox_state state, std::string runtime_state, std::string cause, std::optional<std::int64_t> ended_at_ms)
{
    return db_.write([id = std::move(id), state, runtime_state = std::move(runtime_state), cause = std::move(cause), ended_at_ms](
                         sqlite::connection& db) -> result<void> {
        db.prepare(sql::sandbox::update).bind(to_string(state), runtime_state, cause, ended_at_ms, id).run();
        if (db.changes() == 0)
            return error{errc::not_found, "no sandbox " + id.str()};
        return {};
    });
}

task<result<sandbox_row>> sqlite_sandbox_store::find(sandbox_id id)
{
    return db_.read([id = std::move(id)](sqlite::connection& db) -> result<sandbox_row> {
        auto query = db.prepare(sql::sandbox::find);
        if (!query.bind(id).step())
            return error{errc::not_found, "no sandbox " + id.str()};
        return sandbox_row_from(query);
    });
}

task<result<std::vector<sandbox_row>>> sqlite_sandbox_store::alive()
{
    return db_.read([](sqlite::connection& db) -> result<std::vector<sandbox_row>> {
        auto query = db.prepare(sql::sandbox::alive);
        std::vector<sandbox_row> rows;
        while (query.step())
            rows.push_back(sandbox_row_from(query));
        return rows;
    });
}

task<result<void>> sqlite_sandbox_store::end(sandbox_id id, std::string cause, std::int64_t ended_at_ms)
{
    return db_.write([id = std::move(id), cause = std::move(cause), ended_at_ms](sqlite::connection& db) -> result<void> {
        db.prepare(sql::sandbox::end).bind(cause, ended_at_ms, id).run();
        if (db.changes() == 0)
            return error{errc::not_found, "no sandbox " + id.str() + " that has not ended"};
        return {};
    });
}

task<result<std::size_t>> sqlite_sandbox_store::erase_ended(std::int64_t before_ms, std::size_t limit)
{
    return db_.write([before_ms, limit](sqlite::connection& db) -> result<std::size_t> {
        db.prepare(sql::sandbox::erase_ended).bind(before_ms, limit).run();
        return static_cast<std::size_t>(db.changes());
    });
}

}    // namespace caisson

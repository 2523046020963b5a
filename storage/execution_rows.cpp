#include "storage/execution_rows.hpp"

#include "storage/execution_columns.hpp"
#include "storage/sql.hpp"
#include "storage/webhook_rows.hpp"

namespace caisson::sqlite {

namespace {

void insert_parts(connection& db, const execution_row& row, const execution_spec& spec)
{
    auto label = db.prepare(sql::execution::insert_label);
    for (const auto& [name, value] : row.labels)
        label.bind(row.tenant, name, value, row.id).run();
    if (!spec.input.empty())
        db.prepare(sql::execution::insert_payload).bind(row.id, borrowed_blob{spec.input}).run();
    if (is_final(row.status))
        return;
    const auto text = spec_to_json(spec);
    db.prepare(sql::execution::insert_spec).bind(row.id, borrowed_text{text}).run();
}

void set_output(connection& db, const execution_row& row)
{
    if (!row.output.empty())
        db.prepare(sql::execution::set_output).bind(row.id, borrowed_blob{row.output}).run();
}

}    // namespace

result<execution_row> find_execution(connection& db, const tenant_id& tenant, const execution_id& id)
{
    auto query = db.prepare(sql::execution::find);
    if (!query.bind(id, tenant).step())
        return error{errc::not_found, "no execution " + id.str()};
    column_reader columns(query);
    auto row = execution_from(columns);
    if (columns.present()) {
        row.input = columns.text();
        row.output = columns.text();
    }
    return row;
}

error refused_change(connection& db, const tenant_id& tenant, const execution_id& id)
{
    const auto row = find_execution(db, tenant, id);
    return row.has_error() ? row.error() : error{errc::conflict, "execution " + id.str() + " has ended"};
}

result<void> insert_execution(connection& db, const execution_row& row, const execution_spec& spec)
{
    auto query = db.prepare(sql::execution::insert);
    bind_fixed(query, row);
    bind_changing(query, row);
    query.run();
    if (db.changes() == 0)
        return error{errc::conflict, "execution " + row.id.str() + " exists"};
    insert_parts(db, row, spec);
    insert_webhook(db, row, spec);
    set_output(db, row);
    return {};
}

result<void> update_execution(connection& db, const execution_row& row)
{
    auto query = db.prepare(sql::execution::update);
    bind_changing(query, row);
    query.bind(row.id, row.tenant).run();
    if (db.changes() == 0)
        return refused_change(db, row.tenant, row.id);
    set_output(db, row);
    if (is_final(row.status)) {
        db.prepare(sql::execution::erase_spec).bind(row.id).run();
        make_webhook_due(db, row);
    }
    return {};
}

}    // namespace caisson::sqlite

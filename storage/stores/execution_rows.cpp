#include "storage/stores/execution_rows.hpp"

#include "storage/sql.hpp"
#include "storage/stores/execution_columns.hpp"
#include "storage/stores/spec_bodies.hpp"
#include "storage/stores/webhook_rows.hpp"

namespace caisson::sqlite {

namespace {

error no_execution(const execution_id& id) { return {errc::not_found, "no execution " + id.str()}; }

void insert_parts(connection& db, const execution_row& row, const execution_spec& spec, bool has_body)
{
    auto label = db.prepare(sql::execution::insert_label);
    for (const auto& [name, value] : row.labels)
        label.bind(row.tenant, name, value, row.id).run();
    if (!spec.input.empty())
        db.prepare(sql::execution::insert_payload).bind(row.id, borrowed_blob{spec.input.view()}).run();
    if (is_final(row.status))
        return;
    spec_body beside;
    const auto text = spec_to_json(spec, has_body ? &beside : nullptr);
    db.prepare(sql::execution::insert_spec).bind(row.id, borrowed_text{text}, has_body).run();
    if (has_body)
        adopt_spec_body(db, row.id);
}

void set_output(connection& db, const execution_row& row)
{
    if (!row.output.empty())
        db.prepare(sql::execution::set_output).bind(row.id, borrowed_blob{row.output.view()}).run();
}

}    // namespace

result<execution_row> find_execution(connection& db, const tenant_id& tenant, const execution_id& id)
{
    auto query = db.prepare(sql::execution::find);
    if (!query.bind(id, tenant).step())
        return no_execution(id);
    column_reader columns(query);
    return execution_from(columns);
}

result<execution_payload> find_payload(connection& db, const tenant_id& tenant, const execution_id& id, std::size_t most_bytes)
{
    auto query = db.prepare(sql::execution::find_payload);
    query.set(":id", id).set(":tenant", tenant).set(":most", most_bytes);
    if (!query.step())
        return no_execution(id);
    column_reader columns(query);
    execution_payload found;
    found.input_bytes = columns.count();
    found.output_bytes = columns.count();
    found.input = shared_bytes(columns.text());
    found.output = shared_bytes(columns.text());
    return found;
}

result<payload_piece> read_payload(
    connection& db, const tenant_id& tenant, const execution_id& id, payload_part part, std::uint64_t offset, std::size_t most_bytes)
{
    auto query = db.prepare(part == payload_part::input ? sql::execution::find_input : sql::execution::find_output);
    query.set(":id", id).set(":tenant", tenant).set(":begin", offset + 1).set(":most", most_bytes);
    if (!query.step())
        return no_execution(id);
    column_reader columns(query);
    const auto total = columns.count();
    return payload_piece{shared_bytes(columns.text()), total};
}

error refused_change(connection& db, const tenant_id& tenant, const execution_id& id)
{
    const auto row = find_execution(db, tenant, id);
    return row.has_error() ? row.error() : error{errc::conflict, "execution " + id.str() + " has ended"};
}

result<void> insert_execution(connection& db, const execution_row& row, const execution_spec& spec, std::int64_t kept_bytes, bool has_body)
{
    auto query = db.prepare(sql::execution::insert);
    bind_fixed(query, row);
    bind_changing(query, row, kept_bytes);
    query.run();
    if (db.changes() == 0)
        return error{errc::conflict, "execution " + row.id.str() + " exists"};
    insert_parts(db, row, spec, has_body);
    insert_webhook(db, row, spec);
    set_output(db, row);
    return {};
}

result<void> update_execution(connection& db, const execution_row& row, std::int64_t kept_bytes)
{
    auto query = db.prepare(sql::execution::update);
    bind_changing(query, row, kept_bytes);
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

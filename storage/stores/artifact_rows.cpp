#include "storage/stores/artifact_rows.hpp"

#include "storage/sql.hpp"

namespace caisson::sqlite {

void insert_artifacts(connection& db, const std::vector<artifact_row>& rows)
{
    if (rows.empty())
        return;
    auto insert = db.prepare(sql::artifact::insert);
    std::int64_t files = 0, bytes = 0;
    for (const auto& row : rows) {
        insert.bind(borrowed_text{row.execution.str()}, borrowed_text{row.path}, borrowed_text{row.tenant.str()});
        insert.bind(borrowed_text{row.content.str()}, row.size_bytes, borrowed_text{row.sha256}, borrowed_text{row.media_type});
        insert.bind(row.mode, row.partial, row.created_at_ms, row.expires_at_ms).run();
        if (db.changes() == 0)    // it was there
            continue;
        ++files;
        bytes += row.size_bytes;
    }
    db.prepare(sql::artifact::add_to_totals).bind(rows.front().tenant, files, bytes).run();
}

std::vector<content_id> erase_artifacts(connection& db, const tenant_id& tenant, const execution_id& execution, std::size_t limit)
{
    std::vector<content_id> contents;
    auto query = db.prepare(sql::artifact::erase_all);
    query.bind(execution, tenant, limit);
    while (query.step())
        contents.push_back(column_reader(query).id<content_id>());
    return contents;
}

artifact_row artifact_from(const statement& query)
{
    column_reader columns(query);
    artifact_row row;
    row.execution = columns.id<execution_id>();
    row.path = columns.text();
    row.tenant = columns.id<tenant_id>();
    row.content = columns.id<content_id>();
    row.size_bytes = columns.integer();
    row.sha256 = columns.text();
    row.media_type = columns.text();
    row.mode = static_cast<std::uint32_t>(columns.integer());
    row.partial = columns.flag();
    row.created_at_ms = columns.integer();
    row.expires_at_ms = columns.optional_integer();
    return row;
}

}    // namespace caisson::sqlite

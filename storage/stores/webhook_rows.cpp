#include "storage/stores/webhook_rows.hpp"

#include "core/webhooks/types.hpp"
#include "storage/sql.hpp"

namespace caisson::sqlite {

void insert_webhook(connection& db, const execution_row& row, const execution_spec& spec)
{
    if (!spec.webhook)
        return;
    const auto& [url, secret] = *spec.webhook;
    const auto parsed = parse_webhook_url(url);
    const auto receiver = parsed.has_value() ? parsed->receiver() : url;
    db.prepare(sql::webhook::insert).bind(row.id, row.tenant, receiver, url, borrowed_blob{secret}).run();
    if (is_final(row.status))
        make_webhook_due(db, row);
}

void make_webhook_due(connection& db, const execution_row& row)
{
    db.prepare(sql::webhook::make_due).bind(row.finished_at_ms.value_or(row.created_at_ms), row.id).run();
}

}    // namespace caisson::sqlite

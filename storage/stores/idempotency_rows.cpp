#include "storage/stores/idempotency_rows.hpp"

#include "storage/sql.hpp"
#include "storage/sqlite/statement.hpp"

#include <vector>

namespace caisson::sqlite {

std::size_t count_keys(connection& db, const tenant_id& tenant)
{
    auto query = db.prepare(sql::idempotency::count);
    return query.bind(tenant).step() ? static_cast<std::size_t>(query.integer(0)) : 0;
}

result<void> insert_key(connection& db, const idempotency_record& key, std::size_t most_keys)
{
    const auto& [route, text, fingerprint] = key.claim;
    db.prepare(sql::idempotency::erase_if_expired).bind(key.tenant, route, text, key.created_at_ms).run();
    if (count_keys(db, key.tenant) >= most_keys)
        return error{errc::quota_exceeded, "this tenant has " + std::to_string(most_keys) +
                                               " Idempotency-Keys in use, which is the most it may; they end with their lifetime"};
    db.prepare(sql::idempotency::insert)
        .bind(key.tenant, route, text, fingerprint, key.execution, key.created_at_ms, key.expires_at_ms)
        .run();
    if (db.changes() == 0)
        return error{errc::conflict, "the Idempotency-Key is in use"};
    return {};
}

result<idempotency_record> find_key(connection& db, const tenant_id& tenant, const std::string& route, const std::string& key)
{
    auto query = db.prepare(sql::idempotency::find);
    if (!query.bind(tenant, route, key).step())
        return error{errc::not_found, "the Idempotency-Key was not used"};
    column_reader columns(query);
    idempotency_record found;
    found.tenant = columns.id<tenant_id>();
    found.claim.route = columns.text();
    found.claim.key = columns.text();
    found.claim.fingerprint = columns.text();
    found.execution = columns.id<execution_id>();
    found.created_at_ms = columns.integer();
    found.expires_at_ms = columns.integer();
    return found;
}

std::size_t erase_expired_keys(connection& db, std::int64_t now_ms, std::size_t limit)
{
    struct name {
        std::string tenant, route, key;
    };
    std::vector<name> expired;
    auto query = db.prepare(sql::idempotency::expired);
    query.bind(now_ms, limit);
    while (query.step()) {
        column_reader columns(query);
        auto tenant = columns.text();
        auto route = columns.text();
        expired.push_back({std::move(tenant), std::move(route), columns.text()});
    }
    auto erase = db.prepare(sql::idempotency::erase);
    for (const auto& each : expired)
        erase.bind(each.tenant, each.route, each.key).run();
    return expired.size();
}

}    // namespace caisson::sqlite

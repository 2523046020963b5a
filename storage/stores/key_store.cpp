#include "storage/stores/key_store.hpp"

#include "storage/sql.hpp"

#include <array>

namespace caisson {

namespace {

constexpr std::array<std::pair<scope, std::string_view>, 3> scope_names{
    {{scope::run, "run"}, {scope::read, "read"}, {scope::admin, "admin"}}};

std::string text_of(const std::vector<scope>& scopes)
{
    std::string text;
    for (const auto& [value, name] : scope_names) {
        if (std::ranges::find(scopes, value) == scopes.end())
            continue;
        text.append(text.empty() ? "" : ",").append(name);
    }
    return text;
}

/// Names that this version does not know give no right.
std::vector<scope> scopes_from(std::string_view text)
{
    std::vector<scope> scopes;
    while (!text.empty()) {
        const auto end = std::min(text.find(','), text.size());
        for (const auto& [value, name] : scope_names)
            if (name == text.substr(0, end))
                scopes.push_back(value);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return scopes;
}

api_key_row key_row_from(const sqlite::statement& query)
{
    sqlite::column_reader columns(query);
    api_key_row row;
    row.id = columns.id<key_id>();
    row.tenant = columns.id<tenant_id>();
    row.tenant_name = columns.text();
    row.hash = columns.text();
    row.hint = columns.text();
    row.scopes = scopes_from(columns.view());
    row.created_at_ms = columns.integer();
    row.expires_at_ms = columns.optional_integer();
    row.last_used_at_ms = columns.optional_integer();
    row.revoked_at_ms = columns.optional_integer();
    return row;
}

void write_uses(sqlite::connection& db, key_uses& uses)
{
    auto update = db.prepare(sql::api_key::touch);
    for (const auto& [id, at_ms] : uses.take())
        update.bind(at_ms, id).run();
}

}    // namespace

task<result<tenant_id>> sqlite_key_store::ensure_tenant(std::string name, tenant_id fresh, std::int64_t now_ms)
{
    return db_.write([name = std::move(name), fresh = std::move(fresh), now_ms](sqlite::connection& db) -> result<tenant_id> {
        auto query = db.prepare(sql::tenant::find_by_name);
        if (query.bind(name).step())
            return sqlite::column_reader(query).id<tenant_id>();
        db.prepare(sql::tenant::insert).bind(fresh, name, now_ms).run();
        return fresh;
    });
}

task<result<void>> sqlite_key_store::insert_key(api_key_row row)
{
    return db_.write([row = std::move(row)](sqlite::connection& db) -> result<void> {
        if (!db.prepare(sql::tenant::exists).bind(row.tenant).step())
            return error{errc::not_found, "no tenant " + row.tenant.str()};
        db.prepare(sql::api_key::insert)
            .bind(row.id, row.tenant, row.hash, row.hint, text_of(row.scopes), row.created_at_ms, row.expires_at_ms, row.last_used_at_ms,
                row.revoked_at_ms)
            .run();
        if (db.changes() == 0)
            return error{errc::conflict, "the key exists"};
        return {};
    });
}

task<result<api_key_row>> sqlite_key_store::find_key(std::string hash) { return find_one(sql::api_key::find_by_hash, std::move(hash)); }

task<result<api_key_row>> sqlite_key_store::find_key_by_id(key_id id) { return find_one(sql::api_key::find, id.str()); }

task<result<api_key_row>> sqlite_key_store::find_one(std::string_view sql, std::string value)
{
    return db_.read([sql, value = std::move(value), uses = uses_](sqlite::connection& db) -> result<api_key_row> {
        auto query = db.prepare(sql);
        if (!query.bind(value).step())
            return error{errc::not_found, "no such key"};
        auto row = key_row_from(query);
        uses->apply_to(row);
        return row;
    });
}

task<result<std::vector<api_key_row>>> sqlite_key_store::list_keys(std::optional<std::string> tenant_name)
{
    return db_.read([tenant = std::move(tenant_name), uses = uses_](sqlite::connection& db) -> result<std::vector<api_key_row>> {
        auto query = db.prepare(tenant ? sql::api_key::list_of_tenant : sql::api_key::list);
        if (tenant)
            query.bind(*tenant);
        std::vector<api_key_row> rows;
        while (query.step())
            uses->apply_to(rows.emplace_back(key_row_from(query)));
        return rows;
    });
}

task<result<std::size_t>> sqlite_key_store::count_tenants(std::int64_t now_ms, std::size_t most)
{
    return db_.read([now_ms, most](sqlite::connection& db) -> result<std::size_t> {
        std::size_t count = 0;
        for (std::string last; count < most; ++count) {
            auto query = db.prepare(sql::api_key::next_tenant);
            if (!query.bind(last, now_ms).step())
                break;
            last = query.view(0);
        }
        return count;
    });
}

task<result<void>> sqlite_key_store::revoke_key(key_id id, std::int64_t now_ms)
{
    return db_.write([id = std::move(id), now_ms](sqlite::connection& db) -> result<void> {
        db.prepare(sql::api_key::revoke).bind(now_ms, id).run();
        if (db.changes() == 0)
            return error{errc::not_found, "no key " + id.str()};
        return {};
    });
}

task<result<void>> sqlite_key_store::touch_key(key_id id, std::int64_t now_ms)
{
    if (uses_->note(id, now_ms))
        db_.write_later(sqlite::called_once([uses = uses_](sqlite::connection& db) { write_uses(db, *uses); }));
    co_return result<void>();
}

}    // namespace caisson

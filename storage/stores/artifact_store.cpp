#include "storage/stores/artifact_store.hpp"

#include "storage/sql.hpp"
#include "storage/stores/artifact_rows.hpp"

namespace caisson {

namespace {

error no_artifact(const execution_id& execution, const std::string& path)
{
    return {errc::not_found, "execution " + execution.str() + " has no artifact " + path};
}

content_usage usage_of(sqlite::connection& db, const tenant_id& tenant)
{
    content_usage found;
    auto query = db.prepare(sql::artifact::totals);
    if (query.bind(tenant).step()) {
        found.artifacts = query.integer(0);
        found.artifact_bytes = query.integer(1);
    }
    return found;
}

void erase_keys(sqlite::connection& db, const std::vector<std::int64_t>& keys)
{
    auto erase = db.prepare(sql::artifact::erase_key);
    for (const auto key : keys)
        erase.bind(key).run();
}

std::vector<owned_content> erase_expired_rows(sqlite::connection& db, std::int64_t now_ms, std::size_t limit)
{
    std::vector<owned_content> contents;
    std::vector<std::int64_t> keys;
    auto query = db.prepare(sql::artifact::expired);
    query.bind(now_ms, limit);
    while (query.step()) {
        sqlite::column_reader columns(query);
        keys.push_back(columns.integer());
        auto tenant = columns.id<tenant_id>();
        contents.push_back({std::move(tenant), columns.id<content_id>()});
    }
    erase_keys(db, keys);
    return contents;
}

erased_artifacts erase_oldest_rows(sqlite::connection& db, const tenant_id& tenant, std::int64_t bytes, std::size_t limit)
{
    erased_artifacts out;
    std::vector<std::int64_t> keys;
    auto query = db.prepare(sql::artifact::oldest);
    query.bind(tenant, limit);
    while (out.bytes < bytes && query.step()) {
        sqlite::column_reader columns(query);
        keys.push_back(columns.integer());
        out.contents.push_back(columns.id<content_id>());
        out.bytes += columns.integer();
    }
    erase_keys(db, keys);
    return out;
}

}    // namespace

task<result<std::vector<artifact_row>>> sqlite_artifact_store::list(
    tenant_id tenant, execution_id execution, std::string after, std::size_t limit)
{
    return db_.read([tenant = std::move(tenant), execution = std::move(execution), after = std::move(after), limit](
                        sqlite::connection& db) -> result<std::vector<artifact_row>> {
        auto query = db.prepare(sql::artifact::list);
        query.bind(execution, after, tenant, limit);
        std::vector<artifact_row> page;
        while (query.step())
            page.push_back(sqlite::artifact_from(query));
        return page;
    });
}

task<result<std::vector<std::string>>> sqlite_artifact_store::paths(tenant_id tenant, execution_id execution, std::size_t limit)
{
    return db_.read(
        [tenant = std::move(tenant), execution = std::move(execution), limit](sqlite::connection& db) -> result<std::vector<std::string>> {
            auto query = db.prepare(sql::artifact::paths);
            query.bind(execution, tenant, limit);
            std::vector<std::string> found;
            while (query.step())
                found.emplace_back(query.view(0));
            return found;
        });
}

task<result<artifact_row>> sqlite_artifact_store::find(tenant_id tenant, execution_id execution, std::string path)
{
    return db_.read([tenant = std::move(tenant), execution = std::move(execution), path = std::move(path)](
                        sqlite::connection& db) -> result<artifact_row> {
        auto query = db.prepare(sql::artifact::find);
        if (!query.bind(execution, path, tenant).step())
            return no_artifact(execution, path);
        return sqlite::artifact_from(query);
    });
}

task<result<content_id>> sqlite_artifact_store::erase(tenant_id tenant, execution_id execution, std::string path)
{
    return db_.write_freeing([tenant = std::move(tenant), execution = std::move(execution), path = std::move(path)](
                                 sqlite::connection& db) -> result<content_id> {
        auto query = db.prepare(sql::artifact::erase);
        if (!query.bind(execution, path, tenant).step())
            return no_artifact(execution, path);
        auto content = sqlite::column_reader(query).id<content_id>();
        query.run();
        return content;
    });
}

task<result<std::vector<content_id>>> sqlite_artifact_store::erase_all(tenant_id tenant, execution_id execution, std::size_t limit)
{
    return db_.write_freeing(
        [tenant = std::move(tenant), execution = std::move(execution), limit](
            sqlite::connection& db) -> result<std::vector<content_id>> { return sqlite::erase_artifacts(db, tenant, execution, limit); });
}

task<result<std::vector<owned_content>>> sqlite_artifact_store::erase_expired(std::int64_t now_ms, std::size_t limit)
{
    return db_.write_freeing(
        [now_ms, limit](sqlite::connection& db) -> result<std::vector<owned_content>> { return erase_expired_rows(db, now_ms, limit); });
}

task<result<std::vector<content_id>>> sqlite_artifact_store::erase_beyond(tenant_id tenant, std::int64_t max_bytes, std::size_t limit)
{
    return db_.write_freeing([tenant = std::move(tenant), max_bytes, limit](sqlite::connection& db) -> result<std::vector<content_id>> {
        return erase_oldest_rows(db, tenant, usage_of(db, tenant).artifact_bytes - max_bytes, limit).contents;
    });
}

task<result<erased_artifacts>> sqlite_artifact_store::erase_oldest(tenant_id tenant, std::int64_t bytes, std::size_t limit)
{
    return db_.write_freeing([tenant = std::move(tenant), bytes, limit](sqlite::connection& db) -> result<erased_artifacts> {
        return erase_oldest_rows(db, tenant, bytes, limit);
    });
}

task<result<std::vector<tenant_id>>> sqlite_artifact_store::tenants()
{
    return db_.read([](sqlite::connection& db) -> result<std::vector<tenant_id>> {
        std::vector<tenant_id> all;
        auto query = db.prepare(sql::artifact::tenants);
        while (query.step())
            all.push_back(sqlite::column_reader(query).id<tenant_id>());
        return all;
    });
}

task<result<content_usage>> sqlite_artifact_store::usage(tenant_id tenant)
{
    return db_.read([tenant = std::move(tenant)](sqlite::connection& db) -> result<content_usage> { return usage_of(db, tenant); });
}

task<result<std::vector<content_id>>> sqlite_artifact_store::named(std::vector<content_id> ids)
{
    return db_.read([ids = std::move(ids)](sqlite::connection& db) mutable -> result<std::vector<content_id>> {
        auto query = db.prepare(sql::artifact::names_content);
        std::erase_if(ids, [&](const content_id& id) {
            const bool found = query.bind(id).step();
            query.run();
            return !found;
        });
        return std::move(ids);
    });
}

}    // namespace caisson

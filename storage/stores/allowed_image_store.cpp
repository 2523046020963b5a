#include "storage/stores/allowed_image_store.hpp"

#include "storage/sql.hpp"

namespace caisson {

namespace {

/// The empty text stands for all tenants.
std::string key_of(const std::optional<tenant_id>& tenant) { return tenant ? tenant->str() : std::string(); }

allowed_image image_from(const sqlite::statement& query)
{
    sqlite::column_reader columns(query);
    allowed_image row;
    row.image = columns.text();
    if (auto tenant = columns.text(); !tenant.empty())
        row.tenant = tenant_id::from_trusted(std::move(tenant));
    row.tenant_name = columns.text();
    row.added_at_ms = columns.integer();
    return row;
}

bool is_there(sqlite::connection& db, const allowed_image& what)
{
    return db.prepare(sql::allowed_image::find).bind(key_of(what.tenant), what.image).step();
}

std::int64_t count(sqlite::connection& db)
{
    auto query = db.prepare(sql::allowed_image::count);
    query.step();
    return query.integer(0);
}

}    // namespace

task<result<std::vector<allowed_image>>> sqlite_allowed_image_store::list()
{
    return db_.read([](sqlite::connection& db) -> result<std::vector<allowed_image>> {
        std::vector<allowed_image> all;
        auto query = db.prepare(sql::allowed_image::list);
        while (query.step())
            all.push_back(image_from(query));
        return all;
    });
}

task<result<bool>> sqlite_allowed_image_store::add(allowed_image what, std::size_t most)
{
    return db_.write([what = std::move(what), most](sqlite::connection& db) -> result<bool> {
        if (is_there(db, what))
            return false;
        if (std::cmp_greater_equal(count(db), most))
            return error{errc::quota_exceeded, "at most " + std::to_string(most) + " images can be allowed"};
        db.prepare(sql::allowed_image::insert).bind(key_of(what.tenant), what.image, what.added_at_ms).run();
        return true;
    });
}

task<result<void>> sqlite_allowed_image_store::remove(std::string image, std::optional<tenant_id> tenant)
{
    return db_.write([image = std::move(image), tenant = std::move(tenant)](sqlite::connection& db) -> result<void> {
        db.prepare(sql::allowed_image::erase).bind(key_of(tenant), image).run();
        if (db.changes() == 0)
            return error{errc::not_found, "the image " + image + " was not allowed through the API"};
        return {};
    });
}

}    // namespace caisson

#include "storage/stores/signing_key_store.hpp"

#include "storage/sql.hpp"

namespace caisson {

namespace {

signing_key key_from(const sqlite::statement& query)
{
    sqlite::column_reader columns(query);
    signing_key key;
    key.id = columns.integer();
    key.secret = columns.text();
    key.created_at_ms = columns.integer();
    key.retired_at_ms = columns.optional_integer();
    return key;
}

signing_key insert_key(sqlite::connection& db, const std::string& secret, std::int64_t now_ms)
{
    db.prepare(sql::signing_key::insert).bind(sqlite::borrowed_blob{secret}, now_ms).run();
    return {db.last_key(), secret, now_ms, std::nullopt};
}

}    // namespace

task<result<signing_key>> sqlite_signing_key_store::current(std::string fresh_secret, std::int64_t now_ms)
{
    return db_.write([secret = std::move(fresh_secret), now_ms](sqlite::connection& db) -> result<signing_key> {
        {
            auto query = db.prepare(sql::signing_key::current);
            if (query.step())
                return key_from(query);
        }
        return insert_key(db, secret, now_ms);
    });
}

task<result<signing_key>> sqlite_signing_key_store::rotate(std::string fresh_secret, std::int64_t now_ms)
{
    return db_.write([secret = std::move(fresh_secret), now_ms](sqlite::connection& db) -> result<signing_key> {
        db.prepare(sql::signing_key::retire).bind(now_ms).run();
        return insert_key(db, secret, now_ms);
    });
}

task<result<std::vector<signing_key>>> sqlite_signing_key_store::list()
{
    return db_.read([](sqlite::connection& db) -> result<std::vector<signing_key>> {
        std::vector<signing_key> all;
        auto query = db.prepare(sql::signing_key::list);
        while (query.step())
            all.push_back(key_from(query));
        return all;
    });
}

task<result<std::size_t>> sqlite_signing_key_store::erase_retired(std::int64_t before_ms)
{
    return db_.write([before_ms](sqlite::connection& db) -> result<std::size_t> {
        db.prepare(sql::signing_key::erase_retired).bind(before_ms).run();
        return static_cast<std::size_t>(db.changes());
    });
}

}    // namespace caisson

#include "storage/content_rows.hpp"

#include "storage/sql.hpp"
#include "storage/transaction.hpp"

namespace caisson::sqlite {

namespace {

/// Of one step of removal: 4 MiB, or as many small contents.
constexpr std::size_t pieces_per_step = 16;

bool is_as_stored(connection& db, std::int64_t key, std::string_view bytes)
{
    auto query = db.prepare(sql::chunk::find_bytes);
    return query.bind(key).step() && query.view(0) == bytes;
}

/// A known chunk that the disk damaged is mended by whoever brings its bytes again.
std::int64_t use_chunk(connection& db, const tenant_id& tenant, const content_chunk& chunk)
{
    std::int64_t key = 0;
    bool fresh = false;
    {
        auto use = db.prepare(sql::chunk::use);
        use.bind(tenant, borrowed_blob{chunk.sha256}, chunk.data.size()).step();
        key = use.integer(0);
        fresh = use.integer(1) == 1;
        use.run();
    }
    if (fresh || !is_as_stored(db, key, chunk.data.view()))
        db.prepare(sql::chunk::put_bytes).bind(key, borrowed_blob{chunk.data.view()}).run();
    return key;
}

void unuse_chunk(connection& db, std::int64_t key)
{
    bool unused = false;
    {
        auto query = db.prepare(sql::chunk::unuse);
        unused = query.bind(key).step() && query.integer(0) <= 0;
        query.run();
    }
    if (!unused)
        return;
    db.prepare(sql::chunk::erase_bytes).bind(key).run();
    db.prepare(sql::chunk::erase).bind(key).run();
}

struct piece {
    std::int64_t number = 0;
    std::int64_t chunk = 0;
};

std::vector<piece> first_pieces(connection& db, std::string_view content, std::size_t most)
{
    std::vector<piece> found;
    auto query = db.prepare(sql::content::pieces);
    query.bind(content, most);
    while (query.step())
        found.push_back({query.integer(0), query.integer(1)});
    return found;
}

/// Removes at most `most` pieces of a content, and the content itself with its last one. How many steps it took.
std::size_t erase_pieces(connection& db, std::string_view content, std::size_t most)
{
    const auto pieces = first_pieces(db, content, most);
    auto erase = db.prepare(sql::content::erase_piece);
    for (const auto& each : pieces) {
        erase.bind(content, each.number).run();
        unuse_chunk(db, each.chunk);
    }
    if (pieces.size() < most)
        db.prepare(sql::content::erase).bind(content).run();
    return std::max<std::size_t>(pieces.size(), 1);
}

std::string next_erased(connection& db)
{
    auto query = db.prepare(sql::content::next_erased);
    return query.step() ? std::string(query.view(0)) : std::string();
}

}    // namespace

void store_change(connection& db, const tenant_id& tenant, const content_change& what)
{
    if (what.begins && what.end)
        db.prepare(sql::content::insert)
            .bind(what.id, tenant, borrowed_blob{what.end->sha256}, what.end->size_bytes, what.end->finished_at_ms)
            .run();
    else if (what.begins)
        db.prepare(sql::content::begin).bind(what.id, tenant).run();
    auto number = what.first_number;
    for (const auto& chunk : what.chunks) {
        const auto key = use_chunk(db, tenant, chunk);
        db.prepare(sql::content::insert_piece).bind(what.id, number++, key).run();
    }
    if (!what.begins && what.end)
        db.prepare(sql::content::finish)
            .bind(borrowed_blob{what.end->sha256}, what.end->size_bytes, what.end->finished_at_ms, what.id)
            .run();
}

void mark_erased(connection& db, const tenant_id& tenant, const std::vector<content_id>& ids)
{
    auto mark = db.prepare(sql::content::mark_erased);
    for (const auto& id : ids)
        mark.bind(id, tenant).run();
}

void mark_unfinished_erased(connection& db) { db.prepare(sql::content::mark_unfinished_erased).run(); }

bool erase_some_contents(connection& db)
{
    auto content = next_erased(db);
    if (content.empty())
        return false;
    transaction all(db, transaction_kind::write);
    for (std::size_t done = 0; done < pieces_per_step && !content.empty(); content = next_erased(db))
        done += erase_pieces(db, content, pieces_per_step - done);
    all.commit();
    return true;
}

}    // namespace caisson::sqlite

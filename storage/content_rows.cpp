#include "storage/content_rows.hpp"

#include "storage/sql.hpp"
#include "storage/transaction.hpp"

namespace caisson::sqlite {

namespace {

/// Of one step of removal: 4 MiB, or as many small contents.
constexpr std::size_t pieces_per_step = 16;
/// Of one step of giving back.
constexpr std::int64_t places_per_step = 64;

struct stored_chunk {
    std::int64_t place = 0;    // 0: none
    bool is_row = false;
    bool is_as_wanted = false;
};

stored_chunk look_at(connection& db, const chunk_file& files, std::int64_t key, std::string_view wanted)
{
    auto query = db.prepare(sql::chunk::find_bytes);
    if (!query.bind(key).step())
        return {};
    if (query.is_null(1))
        return {0, !query.is_null(0), !query.is_null(0) && query.view(0) == wanted};
    const auto place = query.integer(1);
    return {place, false, files.read(place) == wanted};
}

std::int64_t place_for(connection& db, std::int64_t key)
{
    {
        auto take = db.prepare(sql::chunk::take_place);
        if (take.bind(key).step()) {
            const auto place = take.integer(0);
            take.run();
            return place;
        }
    }
    auto add = db.prepare(sql::chunk::add_place);
    add.bind(key).step();
    const auto place = add.integer(0);
    add.run();
    return place;
}

/// A whole chunk has a place, unless it is a row from before.
void put_chunk(connection& db, chunk_file& files, std::int64_t key, std::string_view bytes, stored_chunk known)
{
    if (bytes.size() == chunk_bytes && (known.place != 0 || !known.is_row))
        files.write(known.place != 0 ? known.place : place_for(db, key), bytes);
    else
        db.prepare(sql::chunk::put_bytes).bind(key, borrowed_blob{bytes}).run();
}

/// A known chunk that the disk damaged is mended by whoever brings its bytes again.
std::int64_t use_chunk(connection& db, chunk_file& files, const tenant_id& tenant, const content_chunk& chunk)
{
    std::int64_t key = 0;
    bool fresh = false;
    {
        auto use = db.prepare(sql::chunk::use);
        use.bind(tenant, borrowed_blob{chunk.tag}, chunk.data.size()).step();
        key = use.integer(0);
        fresh = use.integer(1) == 1;
        use.run();
    }
    const auto known = fresh ? stored_chunk() : look_at(db, files, key, chunk.data.view());
    if (!known.is_as_wanted)
        put_chunk(db, files, key, chunk.data.view(), known);
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
    db.prepare(sql::chunk::free_place).bind(key).run();
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

/// Places that were written before take new bytes twice as fast as new ones.
std::int64_t places_at_hand(const chunk_file& files)
{
    constexpr std::int64_t many = 256 << 20, few = 4 << 20;
    return (files.room() >= 4 * std::uint64_t{many} ? many : few) / static_cast<std::int64_t>(chunk_bytes);
}

/// The last ones.
std::vector<std::int64_t> some_free_places(connection& db, std::int64_t most)
{
    std::vector<std::int64_t> found;
    auto query = db.prepare(sql::chunk::free_places);
    query.bind(most);
    while (query.step())
        found.push_back(query.integer(0));
    return found;
}

std::string next_erased(connection& db)
{
    auto query = db.prepare(sql::content::next_erased);
    return query.step() ? std::string(query.view(0)) : std::string();
}

}    // namespace

void store_change(connection& db, chunk_file& files, const tenant_id& tenant, const content_change& what)
{
    if (what.begins && what.end)
        db.prepare(sql::content::insert)
            .bind(what.id, tenant, borrowed_blob{what.end->sha256}, what.end->size_bytes, what.end->finished_at_ms)
            .run();
    else if (what.begins)
        db.prepare(sql::content::begin).bind(what.id, tenant).run();
    auto number = what.first_number;
    for (const auto& chunk : what.chunks) {
        const auto key = use_chunk(db, files, tenant, chunk);
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

removal erase_some_contents(connection& db, chunk_file& files)
{
    auto content = next_erased(db);
    if (content.empty())
        return removal::done;
    const chunk_file::freeing places(files);
    if (!places.allowed())
        return removal::postponed;
    transaction all(db, transaction_kind::write);
    for (std::size_t done = 0; done < pieces_per_step && !content.empty(); content = next_erased(db))
        done += erase_pieces(db, content, pieces_per_step - done);
    all.commit();
    return removal::goes_on;
}

bool give_back_places(connection& db, chunk_file& files)
{
    const auto free = db.integer(sql::chunk::count_free_places);
    const auto most = std::max(places_at_hand(files), db.integer(sql::chunk::last_place) / 10);
    if (free <= most)
        return false;
    const auto places = some_free_places(db, std::min<std::int64_t>(free - most, places_per_step));
    for (const auto place : places)
        files.give_back(place);
    transaction all(db, transaction_kind::write);
    for (const auto place : places)
        db.prepare(sql::chunk::note_hole).bind(place).run();
    all.commit();
    return true;
}

}    // namespace caisson::sqlite

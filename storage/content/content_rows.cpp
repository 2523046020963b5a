#include "storage/content/content_rows.hpp"

#include "storage/sql.hpp"
#include "storage/sqlite/errors.hpp"
#include "storage/sqlite/transaction.hpp"

#include <algorithm>

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

stored_chunk look_at_chunk(connection& db, const chunk_file& files, std::int64_t key, std::string_view wanted)
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

/// What each content needs, prepared once for many.
struct content_inserts {
    explicit content_inserts(connection& to)
        : db(to)
        , content(db.prepare(sql::content::insert))
        , chunk(db.prepare(sql::chunk::insert))
        , bytes(db.prepare(sql::chunk::put_bytes))
        , piece(db.prepare(sql::content::insert_piece))
        , packed(db.prepare(sql::content::insert_packed))
    {
    }
    connection& db;
    statement content, chunk, bytes, piece, packed;
};

/// A whole chunk has a place, unless it is a row from before.
void put_chunk(content_inserts& into, chunk_file& files, std::int64_t key, std::string_view bytes, stored_chunk known)
{
    if (bytes.size() == chunk_bytes && (known.place != 0 || !known.is_row))
        files.write(known.place != 0 ? known.place : place_for(into.db, key), bytes);
    else
        into.bytes.bind(key, borrowed_blob{bytes}).run();
}

struct used_chunk {
    std::int64_t key = 0;
    std::int64_t added_bytes = 0;    // 0: it was there
};

/// For `uses` pieces. A known chunk that the disk damaged is mended by whoever brings its bytes again.
used_chunk use_chunk(content_inserts& into, chunk_file& files, const tenant_id& tenant, const content_chunk& chunk, std::size_t uses)
{
    auto& db = into.db;
    const borrowed_text owner{tenant.str()};
    const borrowed_blob tag{chunk.tag};
    into.chunk.bind(owner, tag, chunk.data.size(), uses).run();
    if (db.changes() == 1) {
        const auto key = db.last_key();
        put_chunk(into, files, key, chunk.data.view(), {});
        return {key, static_cast<std::int64_t>(chunk.data.size())};
    }
    db.prepare(sql::chunk::use_again).bind(uses, owner, tag).run();
    auto find = db.prepare(sql::chunk::find);
    if (!find.bind(owner, tag).step())
        throw storage_error(storage_fault::corrupt, "content.db: a chunk is in its index only; `caisson db check` says more");
    const auto key = find.integer(0);
    const auto known = look_at_chunk(db, files, key, chunk.data.view());
    if (!known.is_as_wanted)
        put_chunk(into, files, key, chunk.data.view(), known);
    return {key, 0};
}

/// How many bytes more the tenant has stored now.
std::int64_t store_change(content_inserts& into, chunk_file& files, const tenant_id& tenant, const content_change& what)
{
    auto& db = into.db;
    const borrowed_text id{what.id.str()}, owner{tenant.str()};
    if (what.begins && what.end)
        into.content.bind(id, owner, borrowed_blob{what.end->sha256}, what.end->size_bytes, what.end->finished_at_ms).run();
    else if (what.begins)
        db.prepare(sql::content::begin).bind(id, owner).run();
    auto number = what.first_number;
    std::int64_t added_bytes = 0;
    for (const auto& chunk : what.chunks) {
        const auto used = use_chunk(into, files, tenant, chunk, 1);
        added_bytes += used.added_bytes;
        into.piece.bind(id, number++, used.key).run();
    }
    if (!what.begins && what.end)
        db.prepare(sql::content::finish)
            .bind(borrowed_blob{what.end->sha256}, what.end->size_bytes, what.end->finished_at_ms, what.id)
            .run();
    return added_bytes;
}

/// The same.
std::int64_t store_pack(content_inserts& into, chunk_file& files, const tenant_id& tenant, const content_pack& what)
{
    const borrowed_text owner{tenant.str()};
    const auto uses = std::count_if(what.contents.begin(), what.contents.end(), [](const auto& each) { return each.end.size_bytes > 0; });
    const auto used = uses == 0 ? used_chunk() : use_chunk(into, files, tenant, what.chunk, static_cast<std::size_t>(uses));
    for (const auto& [id, first_byte, end] : what.contents) {
        into.content.bind(borrowed_text{id.str()}, owner, borrowed_blob{end.sha256}, end.size_bytes, end.finished_at_ms).run();
        if (end.size_bytes > 0)
            into.packed.bind(borrowed_text{id.str()}, used.key, first_byte, end.size_bytes).run();
    }
    return used.added_bytes;
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

std::string next_erased_content(connection& db)
{
    auto query = db.prepare(sql::content::next_erased);
    return query.step() ? std::string(query.view(0)) : std::string();
}

}    // namespace

void store_changes(connection& db, chunk_file& files, const tenant_id& tenant, const content_changes& what)
{
    content_inserts into(db);
    std::int64_t added_bytes = 0;
    for (const auto& each : what.contents)
        added_bytes += store_change(into, files, tenant, each);
    for (const auto& each : what.packs)
        added_bytes += store_pack(into, files, tenant, each);
    if (added_bytes > 0)
        db.prepare(sql::content::add_stored_bytes).bind(tenant, added_bytes).run();
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
    auto content = next_erased_content(db);
    if (content.empty())
        return removal::done;
    const chunk_file::freeing places(files);
    if (!places.allowed())
        return removal::postponed;
    transaction all(db, transaction_kind::write);
    for (std::size_t done = 0; done < pieces_per_step && !content.empty(); content = next_erased_content(db))
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

#include "storage/content/state_rows.hpp"

#include "storage/content/state_packer.hpp"
#include "storage/sql.hpp"
#include "storage/sqlite/errors.hpp"

namespace caisson::sqlite {

namespace {

/// What the rows of a state take besides its bytes, about.
constexpr std::int64_t row_bytes = 120;

struct packed_row {
    std::size_t size_bytes = 0;
    std::string packed;
    std::optional<std::int64_t> base;
    std::string base_digest;
};

packed_row find_packed(connection& db, std::int64_t key)
{
    auto query = db.prepare(sql::state::find_packed);
    if (!query.bind(key).step())
        throw storage_error(storage_fault::corrupt, "records.db: a state is missing");
    column_reader columns(query);
    packed_row row;
    row.size_bytes = static_cast<std::size_t>(columns.integer());
    row.packed = columns.text();
    row.base = columns.optional_integer();
    row.base_digest = columns.text();
    return row;
}

bool has_base(connection& db, const tenant_id& tenant, const packed_state& state)
{
    auto query = db.prepare(sql::state::find_base);
    return query.bind(*state.base, tenant, borrowed_blob{state.base_digest}).step();
}

}    // namespace

std::optional<std::int64_t> find_state(connection& db, const tenant_id& tenant, std::string_view digest)
{
    auto query = db.prepare(sql::state::find);
    return query.bind(tenant, borrowed_blob{digest}).step() ? std::optional(query.integer(0)) : std::nullopt;
}

void use_state_again(connection& db, std::int64_t key) { db.prepare(sql::state::use).bind(key).run(); }

bool can_use_state(connection& db, const tenant_id& tenant, const packed_state& state)
{
    return !state.base || find_state(db, tenant, state.digest) || has_base(db, tenant, state);
}

std::optional<std::int64_t> use_state(connection& db, const tenant_id& tenant, const packed_state& state, totals_change& uncounted)
{
    if (const auto known = find_state(db, tenant, state.digest)) {
        use_state_again(db, *known);
        return known;
    }
    if (state.base) {
        if (!has_base(db, tenant, state))
            return std::nullopt;
        use_state_again(db, *state.base);
    }
    const auto stored_bytes = static_cast<std::int64_t>(state.bytes.size()) + row_bytes;
    db.prepare(sql::state::insert).bind(tenant, borrowed_blob{state.digest}, state.info.size_bytes, stored_bytes, state.base).run();
    const auto key = db.last_key();
    db.prepare(sql::state::insert_text).bind(key, borrowed_blob{state.bytes.view()}).run();
    uncounted.states += 1;
    uncounted.bytes += stored_bytes;
    return key;
}

void release_state(connection& db, std::int64_t key, totals_change& uncounted)
{
    for (std::optional<std::int64_t> next = key; next;) {
        const auto gone = *next;
        {
            auto query = db.prepare(sql::state::find_uses);
            if (!query.bind(gone).step())
                return;
            if (query.integer(0) > 1) {
                db.prepare(sql::state::unuse).bind(gone).run();
                return;
            }
            next = query.is_null(1) ? std::nullopt : std::optional(query.integer(1));
            uncounted.states -= 1;
            uncounted.bytes -= query.integer(2);
        }
        db.prepare(sql::state::erase_text).bind(gone).run();
        db.prepare(sql::state::erase).bind(gone).run();
    }
}

shared_bytes load_state(connection& db, std::int64_t key, std::string_view digest, state_cache& cache)
{
    if (auto known = cache.find(digest))
        return std::move(*known);
    shared_bytes text(read_state(db, key, cache));
    if (text.size() >= zstd_state_packer::least_with_base)
        cache.put(digest, text);
    return text;
}

std::string read_state(connection& db, std::int64_t key, state_cache& cache)
{
    const auto row = find_packed(db, key);
    const auto base = row.base ? load_state(db, *row.base, row.base_digest, cache) : shared_bytes();
    return unpack_state(row.packed, row.size_bytes, base.view());
}

packing_base load_base_of(connection& db, std::int64_t key, state_cache& cache)
{
    packing_base found;
    {
        auto query = db.prepare(sql::state::find_base_of);
        if (!query.bind(key).step())
            throw storage_error(storage_fault::corrupt, "records.db: a state is missing");
        column_reader columns(query);
        found.key = columns.integer();
        found.digest = columns.text();
        found.packed_bytes = columns.integer();
    }
    found.text = load_state(db, found.key, found.digest, cache);
    return found;
}

}    // namespace caisson::sqlite

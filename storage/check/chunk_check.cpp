#include "storage/check/chunk_check.hpp"

#include "storage/sql.hpp"
#include "storage/sqlite/errors.hpp"
#include "storage/sqlite/file_check.hpp"

namespace caisson::sqlite {

namespace {

constexpr std::uint64_t told_every_bytes = 1 << 30;

std::string of_content(connection& db, std::int64_t chunk)
{
    auto query = db.prepare(sql::check::chunk_used_by);
    return query.bind(chunk).step() ? " (of content " + std::string(query.view(0)) + ")" : "";
}

/// Chunks of schema 1 have their digest instead.
bool is_tag_of(hasher& with, std::string_view key, std::string_view tag, std::string_view bytes)
{
    constexpr std::size_t digest_bytes = 32;
    if (tag.size() != digest_bytes)
        return with.tag(key, bytes) == tag;
    with.add(bytes);
    return with.finish() == tag;
}

}    // namespace

std::string find_tag_key(connection& db)
{
    auto query = db.prepare(sql::chunk::find_tag_key);
    if (!query.step())
        throw storage_error(storage_fault::corrupt, "content.db: the key of its chunks is gone");
    return std::string(query.view(0));
}

void check_places(connection& db)
{
    if (db.integer(sql::check::has_places) == 0)
        return;
    const auto wanted = db.integer(sql::chunk::last_place);
    const auto has = chunk_reader(db.file()).places();    // looked at last: a server may make it longer meanwhile
    if (has < wanted)
        throw_damaged(chunk_file_of(db.file()), "it has room for " + std::to_string(has) + " of " + std::to_string(wanted) + " chunks");
}

std::vector<std::string> wrong_chunks(connection& db, const chunk_reader& files, hasher_factory make_hasher, std::size_t most,
    const std::function<void(std::uint64_t)>& progress)
{
    std::vector<std::string> wrong;
    const auto hasher = make_hasher();
    const auto key = find_tag_key(db);
    std::uint64_t bytes = 0;
    auto query = db.prepare(sql::check::chunk_bytes);
    while (wrong.size() < most && query.step()) {
        const auto placed = query.is_null(3) ? std::string() : files.read(query.integer(3));
        const auto data = query.is_null(3) ? query.view(2) : std::string_view(placed);
        if (!is_tag_of(*hasher, key, query.view(1), data))
            wrong.push_back("chunk " + std::to_string(query.integer(0)) + of_content(db, query.integer(0)) + " is not what was written");
        const auto before = std::exchange(bytes, bytes + data.size());
        if (before / told_every_bytes != bytes / told_every_bytes)
            progress(bytes);
    }
    return wrong;
}

}    // namespace caisson::sqlite

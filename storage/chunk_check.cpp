#include "storage/chunk_check.hpp"

#include "storage/sql.hpp"

namespace caisson::sqlite {

namespace {

constexpr std::uint64_t told_every_bytes = 1 << 30;

std::string of_content(connection& db, std::int64_t chunk)
{
    auto query = db.prepare(sql::check::chunk_used_by);
    return query.bind(chunk).step() ? " (of content " + std::string(query.view(0)) + ")" : "";
}

}    // namespace

std::vector<std::string> wrong_chunks(
    connection& db, hasher_factory make_hasher, std::size_t most, const std::function<void(std::uint64_t)>& progress)
{
    std::vector<std::string> wrong;
    const auto digest = make_hasher();
    std::uint64_t bytes = 0;
    auto query = db.prepare(sql::check::chunk_bytes);
    while (wrong.size() < most && query.step()) {
        const auto data = query.view(2);
        digest->add(data);
        if (digest->finish() != query.view(1))
            wrong.push_back("chunk " + std::to_string(query.integer(0)) + of_content(db, query.integer(0)) + " is not what was written");
        const auto before = std::exchange(bytes, bytes + data.size());
        if (before / told_every_bytes != bytes / told_every_bytes)
            progress(bytes);
    }
    return wrong;
}

}    // namespace caisson::sqlite

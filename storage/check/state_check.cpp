#include "storage/check/state_check.hpp"

#include "storage/content/state_rows.hpp"
#include "storage/sql.hpp"
#include "storage/sqlite/errors.hpp"
#include "storage/sqlite/transaction.hpp"

namespace caisson::sqlite {

namespace {

constexpr std::uint64_t told_of_every_bytes = 1 << 30;
constexpr std::int64_t looked_at_once = 200;      // so that a log that grows meanwhile is not held for long
constexpr std::size_t cached_bytes = 32 << 20;    // of texts that others are packed against

struct listed_state {
    std::int64_t key = 0;
    std::string tenant;
    std::string digest;
};

std::vector<listed_state> states_behind(connection& db, std::int64_t key)
{
    auto query = db.prepare(sql::check::state_digests);
    query.bind(key, looked_at_once);
    std::vector<listed_state> found;
    while (query.step())
        found.push_back({query.integer(0), std::string(query.view(1)), std::string(query.view(2))});
    return found;
}

std::string wrong(const listed_state& state, const std::string& what)
{
    return "state " + std::to_string(state.key) + " of tenant " + state.tenant + " (" + to_hex(state.digest) + ") " + what;
}

/// Gives what is wrong with one, empty if nothing is, and adds what it was to `bytes`.
std::string look_at_state(connection& db, const listed_state& state, state_cache& cache, hasher& with, std::uint64_t& bytes)
{
    try {
        const auto text = read_state(db, state.key, cache);
        bytes += text.size();
        with.add(text);
        return with.finish() == state.digest ? std::string() : wrong(state, "is not what was written");
    } catch (const storage_error& failure) {
        if (failure.fault() != storage_fault::corrupt)
            throw;
        return wrong(state, "cannot be unpacked");
    }
}

}    // namespace

std::vector<std::string> wrong_states(
    connection& db, hasher_factory make_hasher, std::size_t most, const std::function<void(std::uint64_t)>& progress)
{
    std::vector<std::string> found;
    const auto hasher = make_hasher();
    state_cache cache(cached_bytes);
    std::uint64_t bytes = 0;
    for (std::int64_t last = 0; found.size() < most;) {
        const transaction snapshot(db, transaction_kind::read);
        const auto some = states_behind(db, last);
        if (some.empty())
            break;
        last = some.back().key;
        const auto before = bytes;
        for (const auto& each : some)
            if (auto what = look_at_state(db, each, cache, *hasher, bytes); !what.empty() && found.size() < most)
                found.push_back(std::move(what));
        if (before / told_of_every_bytes != bytes / told_of_every_bytes)
            progress(bytes);
    }
    return found;
}

}    // namespace caisson::sqlite

#include "storage/check/snapshot.hpp"

#include "storage/check/agreement.hpp"
#include "storage/check/database_copy.hpp"
#include "storage/content/chunk_file.hpp"
#include "storage/sql.hpp"
#include "storage/sqlite/errors.hpp"
#include "storage/sqlite/schemas.hpp"
#include "storage/sqlite/transaction.hpp"

#include <chrono>
#include <thread>

namespace caisson {

namespace {

using sqlite::connection;
using sqlite::open_mode;

/// A removal takes the events first and the record right after.
constexpr std::chrono::milliseconds removal_pause{100};
constexpr int removal_looks = 30;
/// 16 MiB.
constexpr std::size_t chunks_per_transaction = 64;

bool has_record(connection& db, const std::string& id) { return db.prepare(sql::snapshot::find_record).bind(id).step(); }

/// Waits until the record is gone from the original; false if it stays.
bool is_being_removed(connection& original, const std::string& id)
{
    for (int i = 0; i < removal_looks; ++i) {
        if (!has_record(original, id))
            return true;
        std::this_thread::sleep_for(removal_pause);
    }
    return false;
}

void drop_record(connection& copy, const std::string& id, std::size_t schema)
{
    sqlite::transaction all(copy, sqlite::transaction_kind::write);
    copy.prepare(sql::snapshot::drop_labels).bind(id).run();
    if (schema >= sqlite::first_records_with_contents)
        copy.prepare(sql::snapshot::drop_artifacts).bind(id).run();
    copy.prepare(sql::execution::erase).bind(id).run();
    all.commit();
}

/// What a client removed between the two copies lost its log first.
void drop_what_is_removed(connection& original, const std::filesystem::path& into, snapshot_summary& summary)
{
    const auto suspects = sqlite::ended_without_exit(into / "records.db", into / "events.db", open_mode::read_only);
    if (suspects.empty())
        return;
    connection copy(into / "records.db", open_mode::read_write);
    for (const auto& id : suspects) {
        if (!is_being_removed(original, id)) {
            summary.without_end.push_back(id);
            continue;
        }
        drop_record(copy, id, summary.records_schema);
        ++summary.being_removed;
    }
    copy.tidy_up_on_close();
}

struct placed_chunk {
    std::int64_t place = 0;
    std::int64_t chunk = 0;
};

std::vector<placed_chunk> find_placed(connection& db)
{
    std::vector<placed_chunk> found;
    auto query = db.prepare(sql::snapshot::places);
    while (query.step())
        found.push_back({query.integer(0), query.integer(1)});
    return found;
}

/// A copy is one file: whole chunks become rows of it.
void take_in_chunks(const std::filesystem::path& copied, const sqlite::chunk_reader& files, const copy_progress& progress)
{
    connection copy(copied, open_mode::read_write);
    copy.execute("PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF");    // a copy that is cut off is of no use
    const auto placed = find_placed(copy);
    for (std::size_t done = 0; done < placed.size();) {
        sqlite::transaction some(copy, sqlite::transaction_kind::write);
        const auto end = std::min(done + chunks_per_transaction, placed.size());
        for (; done < end; ++done)
            copy.prepare(sql::chunk::put_bytes).bind(placed[done].chunk, sqlite::borrowed_blob{files.read(placed[done].place)}).run();
        some.commit();
        progress("content.db-chunks", done * sqlite::chunk_bytes, placed.size() * sqlite::chunk_bytes);
    }
    copy.prepare(sql::snapshot::forget_places).run();
    copy.tidy_up_on_close();
}

/// Returns its schema; 0 if there is none.
std::size_t copy_contents(const std::filesystem::path& data_dir, const std::filesystem::path& into, const copy_progress& progress)
{
    if (!std::filesystem::exists(data_dir / "content.db"))
        return 0;
    const sqlite::chunk_reader files(data_dir / "content.db");
    files.hold();    // before the copy says what is in which place
    connection content(data_dir / "content.db", open_mode::read_only);
    const auto has = sqlite::check_schema(content, sqlite::content_schema);
    sqlite::database_copy::make(content, into / "content.db", progress);
    if (has >= sqlite::first_contents_with_places)
        take_in_chunks(into / "content.db", files, progress);
    return has;
}

}    // namespace

snapshot_summary take_snapshot(const std::filesystem::path& data_dir, const std::filesystem::path& into, const copy_progress& progress)
{
    for (const auto* name : {"records.db", "events.db"})    // content.db came later
        if (!std::filesystem::exists(data_dir / name))
            throw storage_error(
                storage_fault::broken, "there is no " + (data_dir / name).string() + "; say where the data directory is with --data");
    snapshot_summary summary;
    connection records(data_dir / "records.db", open_mode::read_only);
    connection events(data_dir / "events.db", open_mode::read_only);
    summary.records_schema = sqlite::check_schema(records, sqlite::records_schema);
    summary.events_schema = sqlite::check_schema(events, sqlite::events_schema);
    sqlite::database_copy::make(records, into / "records.db", progress);
    sqlite::database_copy::make(events, into / "events.db", progress);
    summary.content_schema = copy_contents(data_dir, into, progress);
    drop_what_is_removed(records, into, summary);
    for (const auto* name : {"records.db", "events.db", "content.db"})
        if (std::filesystem::exists(into / name))
            sqlite::database_copy::seal(into / name);
    return summary;
}

}    // namespace caisson

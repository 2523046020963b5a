#include "storage/stores/tidying.hpp"

#include "storage/content/content_rows.hpp"
#include "storage/stores/event_store.hpp"
#include "storage/stores/spec_bodies.hpp"
#include "storage/stores/thread_retention.hpp"

#include <filesystem>
#include <system_error>

namespace caisson::sqlite {

namespace {

/// What is kept free for what comes next, and what is given back in one step.
constexpr std::int64_t kept_bytes = 4 << 20;
constexpr std::int64_t bytes_per_step = 1 << 20;

/// A tenth of the file, which has been as large before; nothing but a little where the disk has little room.
std::int64_t most_kept_free(connection& db)
{
    constexpr std::uintmax_t little_room = 1 << 30;
    std::error_code unknown;
    const auto space = std::filesystem::space(db.file(), unknown);
    return unknown || space.available < little_room ? 0 : db.integer("PRAGMA page_count") / 10;
}

/// True if there are more.
bool give_back_pages(connection& db)
{
    const auto page_bytes = db.integer("PRAGMA page_size");
    const auto pages_per_step = bytes_per_step / page_bytes;
    const auto most = std::max(kept_bytes / page_bytes, most_kept_free(db));
    const auto free = db.integer("PRAGMA freelist_count");
    if (free <= most)
        return false;
    db.execute("PRAGMA incremental_vacuum(" + std::to_string(std::min(pages_per_step, free - most)) + ")");
    if (free - most > pages_per_step)
        return true;
    db.move_log();    // where the file itself becomes shorter
    return false;
}

}    // namespace

bool tidy_events(connection& db) { return erase_some_events(db) || give_back_pages(db); }

bool tidy_records(connection& db) { return tidy_threads(db) || erase_some_pieces(db) || give_back_pages(db); }

bool tidy_content(connection& db, chunk_file& files, content_debris& debris)
{
    return debris.clear_some(db, files) || give_back_places(db, files) || give_back_pages(db);
}

}    // namespace caisson::sqlite

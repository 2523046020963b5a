#pragma once

#include "storage/content/content_store.hpp"
#include "storage/sqlite/connection.hpp"

namespace caisson::sqlite {

/// Steps of what a writer does when nothing waits; see idle_step. Each takes some milliseconds.
/// Removes rows of erased logs, then gives free pages back to the file system.
bool tidy_events(connection& db);
/// The same of removed threads and of large specs of what has ended.
bool tidy_records(connection& db);
/// Also what was begun and given up.
bool tidy_content(connection& db, chunk_file& files, content_debris& debris);

}    // namespace caisson::sqlite

#pragma once

#include "storage/connection.hpp"

namespace caisson::sqlite {

/// Steps of what a writer does when nothing waits; see idle_step. Each takes some milliseconds.
/// Removes rows of erased logs, then gives free pages back to the file system.
bool tidy_events(connection& db);
bool tidy_records(connection& db);

}    // namespace caisson::sqlite

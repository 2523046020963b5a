#pragma once

#include "storage/connection.hpp"
#include "storage/inspection.hpp"

#include <vector>

namespace caisson::sqlite {

/// Where records and logs of a data directory contradict each other or themselves. Both must have the newest schema.
/// `changing`: a server writes meanwhile; then only what is so at three looks is told.
std::vector<storage_finding> disagreements(
    const std::filesystem::path& data_dir, open_mode records_mode, open_mode events_mode, bool changing);

/// Ids of ended executions whose log does not end with their exit, in two files that belong together.
std::vector<std::string> ended_without_exit(const std::filesystem::path& records, const std::filesystem::path& events, open_mode mode);

}    // namespace caisson::sqlite

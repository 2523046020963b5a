#pragma once

#include "storage/check/inspection.hpp"
#include "storage/sqlite/connection.hpp"

#include <vector>

namespace caisson::sqlite {

struct file_modes {
    open_mode records = open_mode::read_only;
    open_mode events = open_mode::read_only;
    open_mode content = open_mode::read_only;
};

/// Where records, logs and contents of a data directory contradict each other or themselves. All must have the newest schema.
/// `changing`: a server writes meanwhile; then only what is so at three looks is told.
std::vector<storage_finding> disagreements(const std::filesystem::path& data_dir, const file_modes& modes, bool changing);

/// Ids of ended executions whose log does not end with their exit, in two files that belong together.
std::vector<std::string> ended_without_exit(const std::filesystem::path& records, const std::filesystem::path& events, open_mode mode);

}    // namespace caisson::sqlite

#pragma once

#include "core/base/error.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace caisson::backup {

/// One database of a backup.
struct file_entry {
    std::string name;
    std::uint64_t bytes = 0;
    std::string sha256;        // lower-case hex
    std::size_t schema = 0;    // number of migrations applied
};

/// The contents of manifest.json, which is written last: a directory without it is not a backup.
struct manifest {
    std::string caisson_version;
    std::string instance;    // id of the original server; empty if it never ran
    std::int64_t created_at_ms = 0;
    std::vector<file_entry> files;           // records.db, events.db and, except in format 1, content.db
    std::vector<std::string> without_end;    // executions whose log has no end in the original
};

inline constexpr std::string_view manifest_name = "manifest.json";

std::string to_json(const manifest& what);
/// Reads the manifest of a backup. Errors: errc::not_found if there is none; errc::bad_request if it is malformed, has an unknown format,
/// or does not name exactly the databases of its format.
result<manifest> read_manifest(const std::filesystem::path& backup);

}    // namespace caisson::backup

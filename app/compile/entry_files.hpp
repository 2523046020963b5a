#pragma once

#include "core/base/error.hpp"
#include "core/base/ids.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace caisson {

/// A cached result found in the cache's directory.
struct found_entry {
    tenant_id tenant;
    std::string key;
    std::int64_t bytes = 0;
    std::int64_t used_at_ns = 0;    // time of the last use
};

/// The file of a result: `<top>/<tenant>/<key>`.
std::filesystem::path entry_place(const std::filesystem::path& top, const tenant_id& tenant, const std::string& key);

// The functions below block: use a worker pool.

/// Finds the results in `<top>/<boot>`, least recently used first; creates the directory if necessary. Removes everything else below `top`:
/// results of an earlier boot of the host, and partial files. Throws std::system_error.
std::vector<found_entry> find_entries(const std::filesystem::path& top, const std::string& boot);

/// Writes `bytes` to `staging` and renames it to `place`, so that `place` is never partial. Leaves nothing at `staging`. Does not sync.
/// Errors: errc::runtime_unavailable with the text of errno.
result<void> write_entry(const std::filesystem::path& place, const std::filesystem::path& staging, std::string_view bytes);

/// Reads at most `most_bytes` and updates the time of use. Nullopt if the file is missing, longer or unreadable.
std::optional<std::string> read_entry(const std::filesystem::path& place, std::int64_t most_bytes);

/// Removes a file if it exists.
void remove_entry(const std::filesystem::path& place) noexcept;

/// Free bytes for unprivileged users on the disk of `directory`; the maximum if unknown.
std::int64_t free_bytes_at(const std::filesystem::path& directory);

}    // namespace caisson

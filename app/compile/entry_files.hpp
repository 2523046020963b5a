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

/// A kept result as it lies in the cache's directory.
struct found_entry {
    tenant_id tenant;
    std::string key;
    std::int64_t bytes = 0;
    std::int64_t used_at_ns = 0;    // its last use
};

/// Where a result lies: `<top>/<tenant>/<key>`.
std::filesystem::path entry_place(const std::filesystem::path& top, const tenant_id& tenant, const std::string& key);

/// Everything below blocks: for a worker pool.

/// What lies in `<top>/<boot>`, what was used longest ago first; it is made if it is not there. All else below `top` is removed: results
/// of an earlier boot of the host, and what was being written. Throws std::system_error.
std::vector<found_entry> find_entries(const std::filesystem::path& top, const std::string& boot);

/// `bytes` as the file `place`, whole or not at all; it is made as `staging`, of which nothing is left. Errors: errc::runtime_unavailable
/// with what is wrong with the disk.
result<void> write_entry(const std::filesystem::path& place, const std::filesystem::path& staging, std::string_view bytes);

/// At most `most_bytes`; counts as a use. Nothing if it is not there, longer, or cannot be read.
std::optional<std::string> read_entry(const std::filesystem::path& place, std::int64_t most_bytes);

/// Nothing is left under its name; without one it does nothing.
void remove_entry(const std::filesystem::path& place) noexcept;

/// Free bytes of the disk that `directory` is on, for everybody.
std::int64_t free_bytes_at(const std::filesystem::path& directory);

}    // namespace caisson

#pragma once

#include "core/skills/ports.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace caisson {

/// A tree found in the cache's directory.
struct found_tree {
    tenant_id tenant;
    std::string digest;
    std::int64_t bytes = 0;
    std::int64_t used_at = 0;    // creation time of its directory, in ticks of file_time_type
};

/// The contents of a tree.
struct tree_size {
    std::int64_t files = 0;
    std::int64_t bytes = 0;
    bool operator==(const tree_size&) const = default;
};

/// The approximate disk usage of an extracted package.
std::int64_t disk_bytes_of(const package_index& index);

/// The directory of a tree: `<top>/<tenant>/<digest>`. It contains the files in `tree` and their size in the file `size`.
std::filesystem::path tree_place(const std::filesystem::path& top, const tenant_id& tenant, const std::string& digest);

// The functions below block: use a worker pool. All throw std::system_error.

/// Finds the trees of an earlier server below `top`; creates `top` if necessary. Removes incomplete trees, and all trees if the host has
/// rebooted since, because a crash may have lost unsynced writes.
std::vector<found_tree> find_trees(const std::filesystem::path& top, const std::string& boot_id);

/// Extracts `package` to `staging`, makes it read-only and renames it to `place`, replacing an earlier tree. Leaves nothing at `staging`.
/// Returns the disk usage. Errors: those of inspect_package() and extract_package(); errc::runtime_unavailable on a full disk.
result<std::int64_t> unpack_tree(const std::filesystem::path& package, const package_limits& limits, const std::filesystem::path& staging,
    const std::filesystem::path& place);

/// True if a tree has as many files and bytes as when it was extracted.
bool is_whole(const std::filesystem::path& place);

/// Renames `place` to `trash`, then removes it, so that an interrupted removal leaves no partial tree. `trash` must not exist.
void remove_place(const std::filesystem::path& place, const std::filesystem::path& trash);

/// The boot id of the running kernel; empty if unknown.
std::string boot_id();

}    // namespace caisson

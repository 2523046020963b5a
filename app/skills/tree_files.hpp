#pragma once

#include "core/skills/ports.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace caisson {

/// A tree that lies in the cache's directory.
struct found_tree {
    tenant_id tenant;
    std::string digest;
    std::int64_t bytes = 0;
    std::int64_t used_at = 0;    // of its directory: when it was made; in file_time_type's ticks
};

/// How much lies in a tree.
struct tree_size {
    std::int64_t files = 0;
    std::int64_t bytes = 0;
    bool operator==(const tree_size&) const = default;
};

/// What extracting takes on the disk, about.
std::int64_t disk_bytes_of(const package_index& index);

/// Where a tree lies: `<top>/<tenant>/<digest>`, with the files in `tree` and its size in `size`.
std::filesystem::path tree_place(const std::filesystem::path& top, const tenant_id& tenant, const std::string& digest);

/// Everything below blocks: for a worker pool. All throw std::system_error.

/// What an earlier server left below `top`, which is made if it is not there. What is not whole is removed, and everything if the
/// host was booted since: it may have lost what was being written.
std::vector<found_tree> find_trees(const std::filesystem::path& top, const std::string& boot_id);

/// Extracts `package` into `place`, read-only for everybody; what was there is removed before. It is made as `staging`, of which nothing
/// is left. Returns what it takes on the disk. Errors: what extract_package() says; errc::runtime_unavailable on a full disk.
result<std::int64_t> unpack_tree(const std::filesystem::path& package, const package_limits& limits, const std::filesystem::path& staging,
    const std::filesystem::path& place);

/// Whether a tree has the size that it was made with.
bool is_whole(const std::filesystem::path& place);

/// First its name, then its files, so that an interrupted removal leaves nothing that looks whole. `trash` must not exist.
void remove_place(const std::filesystem::path& place, const std::filesystem::path& trash);

/// Of the running kernel; empty if it does not say.
std::string boot_id();

}    // namespace caisson

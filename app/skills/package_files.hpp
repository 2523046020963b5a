#pragma once

#include "core/base/error.hpp"
#include "core/base/shared_bytes.hpp"
#include "core/base/unique_fd.hpp"
#include "core/skills/types.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace caisson {

// The files of an unpacked package (skill_tree). All calls block: use a worker pool. Errors of all: errc::runtime_unavailable if the disk
// cannot be read.

/// All regular files, sorted by path.
result<std::vector<package_entry>> list_package(const std::filesystem::path& tree);

/// An open file of a package.
struct package_file {
    unique_fd file;
    std::int64_t size_bytes = 0;
};

/// Opens `path`, relative to the tree. Errors: also errc::not_found if the package has no such file.
result<package_file> open_package_file(const std::filesystem::path& tree, const std::string& path);

/// Reads at most `most_bytes` from `offset` on; empty at the end.
result<shared_bytes> read_package_file(const unique_fd& file, std::uint64_t offset, std::size_t most_bytes);

}    // namespace caisson

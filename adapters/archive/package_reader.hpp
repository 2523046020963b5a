#pragma once

#include "core/base/error.hpp"
#include "core/skills/types.hpp"

#include <filesystem>
#include <stop_token>

namespace caisson {

/// Reads the whole archive `file` (zip or tar.gz, by its first bytes) and returns its index; writes nothing. Blocks: use a worker pool.
/// Forbidden entries are listed in the index's `mistakes` (at most 20). Errors: errc::invalid_skill if it is no such archive, is damaged,
/// contradicts itself or exceeds a limit; errc::too_large beyond max_package_bytes; errc::cancelled once `stop` is requested. Throws
/// std::system_error if the file cannot be read.
result<package_index> inspect_package(const std::filesystem::path& file, const package_limits& limits, std::stop_token stop = {});

/// Writes the files of `index`, made by inspect_package() from the same bytes, below the empty directory `into`: regular files with their
/// modes, and directories (0755), owned by the caller. Checks all rules again; never follows links. Blocks: use a worker pool. Errors: as
/// above, and errc::invalid_skill if `index` has mistakes or belongs to another archive. After an error or an exception (std::system_error,
/// for example on a full disk) discard the content of `into`.
result<void> extract_package(const std::filesystem::path& file, const package_index& index, const package_limits& limits,
    const std::filesystem::path& into, std::stop_token stop = {});

}    // namespace caisson

#pragma once

#include "core/base/error.hpp"
#include "core/skills/types.hpp"

#include <filesystem>
#include <stop_token>

namespace caisson {

/// Reads the whole archive `file` (zip or tar.gz, told by its first bytes) and says what is in it; nothing is written. Blocks: for a
/// worker pool. Entries that may not be there are in `mistakes` of the index, all of them (at most 20). Errors: errc::invalid_skill if
/// it is no such archive, is damaged, contradicts itself or passes a limit; errc::too_large beyond max_package_bytes; errc::cancelled
/// after a request of `stop`. Throws std::system_error if the file cannot be read.
result<package_index> inspect_package(const std::filesystem::path& file, const package_limits& limits, std::stop_token stop = {});

/// Writes the files of `index`, which inspect_package() made of the same bytes, below the empty directory `into`: regular files with
/// their modes and directories (0755), owned by the caller. All rules hold again while it does; links are never followed. Blocks: for a
/// worker pool. Errors: as above, and errc::invalid_skill if `index` has mistakes or is of another archive. After an error, and after an
/// exception (std::system_error, for example of a full disk), what lies in `into` is to be thrown away.
result<void> extract_package(const std::filesystem::path& file, const package_index& index, const package_limits& limits,
    const std::filesystem::path& into, std::stop_token stop = {});

}    // namespace caisson

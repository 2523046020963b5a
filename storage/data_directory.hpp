#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace caisson {

/// Makes `dir` for this user alone (0700) if it is not there, with what is above it. Throws storage_fault::broken if that fails.
void make_data_directory(const std::filesystem::path& dir);

/// Who besides this process's user may write in the directory `dir`, and how that is ended; nothing if only root may, or if there is none.
std::optional<std::string> why_others_may_write(const std::filesystem::path& dir);

}    // namespace caisson

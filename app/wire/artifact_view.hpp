#pragma once

#include "app/wire/json_writer.hpp"
#include "core/exec/types.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace caisson::wire {

/// The download information in an execution's object.
struct files_view {
    std::string url;                   // of the archive; absolute and signed
    std::int64_t expires_at_ms = 0;    // expiry of `url`
    std::vector<std::string> paths;    // sorted; only the first files_list_limit
};
inline constexpr std::size_t files_list_limit = 1'000;

/// An artifact and its signed URL.
struct artifact_item {
    const artifact_row* row = nullptr;
    std::string url;
    std::int64_t expires_at_ms = 0;    // expiry of `url`
};

/// Whether an execution's object names the files that were skipped. Lists only count them.
enum class skipped_names { told, left_out };

/// Writes members of an execution's object: `artifacts` if the execution collected files, and `files_url`, `files_url_expires_at` and
/// `files_list` if `files` is not null.
void write_artifacts(json_writer& out, const execution_row& row, const files_view* files, skipped_names names);

/// A page of artifacts.
std::string artifact_list_json(std::span<const artifact_item> items, const std::optional<std::string>& next_cursor);

}    // namespace caisson::wire

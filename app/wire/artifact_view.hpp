#pragma once

#include "app/wire/json_writer.hpp"
#include "core/exec/types.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace caisson::wire {

/// Where the files of an execution are, as its object tells it.
struct files_view {
    std::string url;                   // of the archive: absolute, signed
    std::int64_t expires_at_ms = 0;    // of the url
    std::vector<std::string> paths;    // in their order; the first files_list_limit
};
inline constexpr std::size_t files_list_limit = 1'000;

/// An artifact and its own signed address.
struct artifact_item {
    const artifact_row* row = nullptr;
    std::string url;
    std::int64_t expires_at_ms = 0;    // of the url
};

/// Whether an execution's object names what was not kept; in lists it is only counted.
enum class skipped_names { told, left_out };

/// The members of an execution's object: artifacts if something was to be collected, and files_url, files_url_expires_at and files_list
/// if `files` is given.
void write_artifacts(json_writer& out, const execution_row& row, const files_view* files, skipped_names names);

/// A page of artifacts.
std::string artifact_list_json(std::span<const artifact_item> items, const std::optional<std::string>& next_cursor);

}    // namespace caisson::wire

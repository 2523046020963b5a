#pragma once

#include "core/threads/types.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace caisson {

/// What a list of checkpoints may be narrowed by; all of it has to hold.
struct metadata_filter {
    std::optional<std::int64_t> step;
    std::optional<std::string> node_id;
    std::vector<std::string> tags;                              // it has each of them
    std::vector<std::pair<std::string, std::string>> custom;    // name and value of a member

    bool empty() const { return !step && !node_id && tags.empty() && custom.empty(); }
};

/// Whether member `name` of `custom`, a canonical JSON object or empty, is `value`: a string of these bytes, or a number or word that is
/// written so.
bool custom_has(std::string_view custom, std::string_view name, std::string_view value);

bool matches(const checkpoint_metadata& metadata, const metadata_filter& wanted);

/// The references as a JSON list of {"execution_id", "path"}, empty for none, and back. Throws std::exception on foreign text.
std::string artifacts_text(const std::vector<artifact_reference>& artifacts);
std::vector<artifact_reference> artifacts_from(std::string_view text);

/// What a client said about a checkpoint, as one text: equal texts, equal requests. `digest` is that of the state.
std::string request_text(const checkpoint_row& row, std::string_view digest, const std::optional<checkpoint_id>& parent);

}    // namespace caisson

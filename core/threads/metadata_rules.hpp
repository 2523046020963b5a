#pragma once

#include "core/threads/types.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace caisson {

/// What a member of the custom metadata has to be.
struct custom_condition {
    std::string quoted_name;
    std::string value;        // as it was asked for
    std::string composite;    // its canonical form if it is an object or a list in JSON; else empty
};
custom_condition condition_on(std::string_view name, std::string value);

/// What a list of checkpoints may be narrowed by; all of it has to hold.
struct metadata_filter {
    std::optional<std::int64_t> step;
    std::optional<std::string> node_id;
    std::vector<std::string> tags;    // it has each of them
    std::vector<custom_condition> custom;

    bool empty() const { return !step && !node_id && tags.empty() && custom.empty(); }
};

/// Whether `custom`, a canonical JSON object or empty, has members that are all that is wanted: a string of these bytes, a number or word
/// that is written so, or an object or list of the same canonical form. `custom` is read once, however much is wanted.
bool custom_has(std::string_view custom, std::span<const custom_condition> wanted);

bool matches(const checkpoint_metadata& metadata, const metadata_filter& wanted);

/// The references as a JSON list of {"execution_id", "path"}, empty for none, and back. Throws std::exception on foreign text.
std::string artifacts_text(const std::vector<artifact_reference>& artifacts);
std::vector<artifact_reference> artifacts_from(std::string_view text);

/// What a client said about a checkpoint, as one text: equal texts, equal requests. `digest` is that of the state.
std::string request_text(const checkpoint_row& row, std::string_view digest, const std::optional<checkpoint_id>& parent);

}    // namespace caisson

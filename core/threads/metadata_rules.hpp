#pragma once

#include "core/threads/types.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace caisson {

/// A value that a member of the custom metadata must have.
struct custom_condition {
    std::string quoted_name;
    std::string value;        // as requested
    std::string composite;    // canonical form of `value` if it is a JSON object or list; else empty
};
custom_condition condition_on(std::string_view name, std::string value);

/// A filter for checkpoints; all conditions must hold.
struct metadata_filter {
    std::optional<std::int64_t> step;
    std::optional<std::string> node_id;
    std::vector<std::string> tags;    // must all be present
    std::vector<custom_condition> custom;

    bool empty() const { return !step && !node_id && tags.empty() && custom.empty(); }
};

/// True if `custom`, a canonical JSON object or empty, meets all conditions. A member matches if it is a string with the value's bytes, a
/// number or word written like the value, or an object or list with its canonical form. Reads `custom` once for any number of conditions.
bool custom_has(std::string_view custom, std::span<const custom_condition> wanted);

bool matches(const checkpoint_metadata& metadata, const metadata_filter& wanted);

/// The references as a JSON list of {"execution_id", "path"}, empty for none. artifacts_from() throws std::exception on other text.
std::string artifacts_text(const std::vector<artifact_reference>& artifacts);
std::vector<artifact_reference> artifacts_from(std::string_view text);

/// A save request as one string: equal strings mean equal requests. `digest` is the digest of the state.
std::string request_text(const checkpoint_row& row, std::string_view digest, const std::optional<checkpoint_id>& parent);

}    // namespace caisson

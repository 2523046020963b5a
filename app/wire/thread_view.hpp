#pragma once

#include "core/base/error.hpp"
#include "core/files/types.hpp"
#include "core/threads/ports.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace caisson::wire {

/// Optional parts of a checkpoint's object; null: omitted.
struct checkpoint_extras {
    const shared_bytes* state = nullptr;
    const std::string* execution = nullptr;                                 // JSON; empty: the execution was removed
    const std::vector<std::optional<artifact_row>>* artifacts = nullptr;    // in the order of the row; nullopt: the artifact was removed
};

/// The JSON object of a checkpoint. A JSON state is written as stored, other bytes as base64.
std::string checkpoint_json(const checkpoint_row& row, const checkpoint_extras& extras = {});
/// The cursor is null in JSON on the last page.
std::string checkpoint_list_json(const checkpoint_page& page, bool with_states, const std::optional<std::string>& cursor);
/// The error body of a save whose if_latest does not hold, with the latest checkpoint (its id may be empty).
std::string superseded_json(const checkpoint_row& current, std::string_view request_id);

std::string thread_json(const thread_row& row);
std::string thread_list_json(std::span<const thread_row> rows, const std::optional<std::string>& cursor);
std::string rolled_back_json(const rolled_back& done);
std::string diff_json(const checkpoint_row& from, const checkpoint_row& to, std::string_view patch);

}    // namespace caisson::wire

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

/// What a checkpoint's object has beside its row; null: left out.
struct checkpoint_extras {
    const shared_bytes* state = nullptr;
    const std::string* execution = nullptr;                                 // JSON; empty: it is not there any more
    const std::vector<std::optional<artifact_row>>* artifacts = nullptr;    // as the row names them; nothing: not there any more
};

/// The one object of a checkpoint. A state in JSON is as it is stored; bytes are base64.
std::string checkpoint_json(const checkpoint_row& row, const checkpoint_extras& extras = {});
/// `cursor` null in JSON if it is nothing.
std::string checkpoint_list_json(const checkpoint_page& page, bool with_states, const std::optional<std::string>& cursor);
/// The error body of a save whose if_latest does not hold, with the current one, whose id may be empty.
std::string superseded_json(const checkpoint_row& current, std::string_view request_id);

std::string thread_json(const thread_row& row);
std::string thread_list_json(std::span<const thread_row> rows, const std::optional<std::string>& cursor);
std::string rolled_back_json(const rolled_back& done);
std::string diff_json(const checkpoint_row& from, const checkpoint_row& to, std::string_view patch);

}    // namespace caisson::wire

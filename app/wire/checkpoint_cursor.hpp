#pragma once

#include "app/wire/query.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace caisson::wire {

/// A cursor in a list of checkpoints. It is opaque to clients and valid only for the conditions (order, bounds, filters) it was made with.
struct checkpoint_cursor {
    std::int64_t position = 0;
    std::string conditions;    // for each a dot and a hash
};

/// The cursor after `position` in the list that `query` requests.
std::string checkpoints_cursor(const query_parameters& query, std::int64_t position);

/// Nullopt if `text` is not a cursor of checkpoints.
std::optional<checkpoint_cursor> parse_checkpoints_cursor(std::string_view text);

/// The first condition of `query` that differs from those of the cursor; empty if none does.
std::string_view changed_condition(const checkpoint_cursor& cursor, const query_parameters& query);

}    // namespace caisson::wire

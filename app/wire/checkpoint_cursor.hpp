#pragma once

#include "app/wire/query.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace caisson::wire {

/// Where a list of checkpoints goes on: opaque to clients, and good for the conditions (order, bounds, filters) that it was made under.
struct checkpoint_cursor {
    std::int64_t position = 0;
    std::string conditions;    // a mark of each
};

/// Of the list that `query` asked for, behind `position`.
std::string checkpoints_cursor(const query_parameters& query, std::int64_t position);

/// Nothing if it is no such cursor.
std::optional<checkpoint_cursor> parse_checkpoints_cursor(std::string_view text);

/// The first condition of `query` that is another than the cursor was made under; empty: none is.
std::string_view changed_condition(const checkpoint_cursor& cursor, const query_parameters& query);

}    // namespace caisson::wire

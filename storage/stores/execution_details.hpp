#pragma once

#include "core/exec/types.hpp"

#include <string>
#include <string_view>

namespace caisson::sqlite {

/// executions.details: the members of a row that have no column of their own. What is at its default is left out.
std::string details_text(const execution_row& row);

/// Reads them back into `row`; members that are not there stay as they are. Throws std::exception on foreign text.
void read_details(execution_row& row, std::string_view text);

}    // namespace caisson::sqlite

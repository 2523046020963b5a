#pragma once

#include <string_view>

namespace caisson {

/// True if two JSON number literals have the same value, as 1.10 and 11e-1 have. Exact for literals of any length.
bool same_number(std::string_view a, std::string_view b);

}    // namespace caisson

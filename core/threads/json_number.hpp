#pragma once

#include <string_view>

namespace caisson {

/// Whether two numbers of JSON, as they are written, have the same value: 1.10 and 11e-1 have. Exact, whatever their size.
bool same_number(std::string_view a, std::string_view b);

}    // namespace caisson

#pragma once

namespace caisson {

/// ASCII digits only, in every locale.
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

}    // namespace caisson

#pragma once

#include <string_view>

namespace caisson {

/// Of the build; CAISSON_VERSION comes from CMakeLists.txt.
inline constexpr std::string_view version_text = CAISSON_VERSION;

}    // namespace caisson

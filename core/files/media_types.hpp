#pragma once

#include <string_view>

namespace caisson {

/// The media type that a file's name says, "application/octet-stream" if none. Text has a charset, since what runs write is UTF-8 as a
/// rule. The case of the name does not matter.
std::string_view media_type_of(std::string_view path);

}    // namespace caisson

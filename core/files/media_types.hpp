#pragma once

#include <string_view>

namespace caisson {

/// The media type by a file's extension, in any case; "application/octet-stream" if unknown. Text types say charset=utf-8, because runs
/// usually write UTF-8.
std::string_view media_type_of(std::string_view path);

}    // namespace caisson

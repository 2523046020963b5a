#pragma once

#include "core/base/error.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace caisson {

/// The decoded reference tokens of a JSON Pointer (RFC 6901); empty for the whole document. Errors: errc::bad_request, with a phrase that
/// follows the pointer.
result<std::vector<std::string>> parse_pointer(std::string_view pointer);

/// Parses an array index as in RFC 6901: digits without a leading zero. Else nullopt.
std::optional<std::size_t> index_of(std::string_view token);

/// Appends the token for element `index` of a list.
void append_index(std::string& pointer, std::size_t index);

/// Appends the token for the member whose name is `quoted`, a canonical JSON string. Keeps JSON escapes, so
/// the pointer is in its form within a JSON string.
void append_name(std::string& pointer, std::string_view quoted);

}    // namespace caisson

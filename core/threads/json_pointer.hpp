#pragma once

#include "core/base/error.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace caisson {

/// The names on a JSON Pointer's way (RFC 6901), decoded; none: the whole document. Errors: errc::bad_request, a phrase that follows
/// the pointer.
result<std::vector<std::string>> parse_pointer(std::string_view pointer);

/// The index that `token` is, written as RFC 6901 has it: digits without a leading zero. Nothing if it is none.
std::optional<std::size_t> index_of(std::string_view token);

/// Adds the way to element `index` of a list.
void append_index(std::string& pointer, std::size_t index);

/// Adds the way to the member whose name is `quoted`, a canonical JSON string. The pointer is then as it stands within a JSON string,
/// with its escapes.
void append_name(std::string& pointer, std::string_view quoted);

}    // namespace caisson

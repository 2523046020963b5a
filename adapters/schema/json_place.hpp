#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace caisson {

/// A place in a JSON document, as a list from the place itself to the root. Nothing is copied and nothing is put together unless
/// somebody reads it: a name may have megabytes, and each of a million values below it has a place.
struct json_place {
    static constexpr std::size_t no_item = std::numeric_limits<std::size_t>::max();

    const json_place* above = nullptr;    // null: this is the root; outlives it
    std::string_view name;                // of a member; outlives it
    std::size_t item = no_item;           // of a list
};

/// As a JSON pointer: "" is the root, "/text/0". Long names are cut; of a long pointer the end is given, behind "…".
std::string pointer_to(const json_place& place);

}    // namespace caisson

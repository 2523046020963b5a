#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace caisson {

/// A place in a JSON document, as a linked list towards the root. Copies and builds nothing until it is read: a name may have megabytes,
/// and each of a million values below it has a place.
struct json_place {
    static constexpr std::size_t no_item = std::numeric_limits<std::size_t>::max();

    const json_place* above = nullptr;    // null: this is the root; must outlive this object
    std::string_view name;                // of a member; must outlive this object
    std::size_t item = no_item;           // index in a list
};

/// The place as a JSON pointer: "" is the root, "/text/0". Cuts long names; keeps the end of a long pointer, after "…".
std::string pointer_to(const json_place& place);

}    // namespace caisson

#pragma once

#include "core/base/error.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace caisson {

/// Limits on a diff.
struct diff_bounds {
    std::size_t max_operations = 10'000;
    /// For list comparison; each list may use half of the rest. Beyond it, lists are compared by index.
    std::size_t max_steps = std::size_t{1} << 21;
    /// A patch may be this much larger than a replacement of the whole state, so that small states get a detailed patch too.
    std::size_t spare_bytes = 1'024;
};

/// The JSON Patch (RFC 6902) that turns `from` into `to`, both canonical states: add, remove and replace operations in canonical form;
/// "[]" if the states are equal. Compares numbers as they are written. Replaces a value as a whole, even the state, if the operations on
/// its parts would be longer than a replacement or exceed a bound. Throws std::invalid_argument if a state is not canonical.
std::string diff_states(std::string_view from, std::string_view to, const diff_bounds& bounds = {});

/// Limits on a patch and its result.
struct patch_bounds {
    std::size_t max_patch_bytes = 16 << 20;
    std::size_t max_operations = 10'000;
    std::size_t max_bytes = 16 << 20;                // of the resulting state
    std::size_t max_depth = 128;                     // of the resulting state, and of values in the patch
    std::size_t max_steps = std::size_t{1} << 27;    // elements visited or moved
};

/// Applies `patch`, a JSON Patch (RFC 6902) with any operation, to the canonical state `state`. Returns the new canonical state; either all
/// operations apply or none. `test` compares numbers by their exact values. Errors, naming the operation if there is one:
/// errc::bad_request if `patch` is not a JSON Patch, errc::conflict if it does not fit the state, errc::too_large beyond a bound.
result<std::string> apply_patch(std::string_view state, std::string_view patch, const patch_bounds& bounds = {});

}    // namespace caisson

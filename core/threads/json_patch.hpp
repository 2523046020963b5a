#pragma once

#include "core/base/error.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace caisson {

/// What a diff may take.
struct diff_bounds {
    std::size_t max_operations = 10'000;
    std::size_t max_steps =
        std::size_t{1} << 21;    // of the comparisons of all lists, half of what is left for each; else it goes by indexes
    /// A patch may be this much larger than the replacement of the whole state: small states are told apart by their parts too.
    std::size_t spare_bytes = 1'024;
};

/// The JSON Patch (RFC 6902) that makes `to` of `from`: add, remove and replace, in canonical form; "[]" if they are the same. Both are
/// canonical states; numbers are compared as they are written. Where a part's operations would be longer than the part, or a bound
/// is met, it is replaced as a whole; so may be the state. Throws std::invalid_argument for what is not canonical.
std::string diff_states(std::string_view from, std::string_view to, const diff_bounds& bounds = {});

/// What a patch may take and make.
struct patch_bounds {
    std::size_t max_patch_bytes = 16 << 20;
    std::size_t max_operations = 10'000;
    std::size_t max_bytes = 16 << 20;                // of the state that comes out
    std::size_t max_depth = 128;                     // of it, and of the patch
    std::size_t max_steps = std::size_t{1} << 27;    // elements that are looked at or moved
};

/// The canonical state that `patch`, a JSON Patch (RFC 6902) with any of its operations, makes of the canonical state `state`. All of
/// it applies, or nothing. `test` compares numbers by their values, exactly. Errors, each naming the operation: errc::bad_request if
/// it is not a JSON Patch, errc::conflict if it does not fit the state, errc::too_large beyond a bound.
result<std::string> apply_patch(std::string_view state, std::string_view patch, const patch_bounds& bounds = {});

}    // namespace caisson

#pragma once

#include "core/base/error.hpp"

#include <cstddef>
#include <memory>
#include <string_view>

namespace caisson {

/// Limits on a state.
struct state_bounds {
    std::size_t max_bytes = 16 << 20;    // as sent
    std::size_t max_depth = 128;         // nested objects and lists; at most 1,000
};

/// Converts JSON to a canonical form, so that equal states have equal bytes: no white space, members sorted by the bytes of their names,
/// the shortest escapes, all other characters unescaped. Number literals stay as they are. Except for floats, this is the output of
/// Python's json.dumps(sort_keys=True, ensure_ascii=False, separators=(",", ":")). Reads the text once; reuses its buffers. Not
/// thread-safe.
class state_canonicalizer {
public:
    explicit state_canonicalizer(state_bounds bounds = {});
    ~state_canonicalizer();
    state_canonicalizer(state_canonicalizer&&) noexcept;
    state_canonicalizer& operator=(state_canonicalizer&&) noexcept;

    /// The canonical form of `json`, valid until the next call; never longer than `json`. Errors have a phrase that follows the name of the
    /// field, with the place as a JSON Pointer: errc::too_large beyond max_bytes; errc::bad_request for text that is not JSON in UTF-8,
    /// is nested too deep, or has a duplicate name in an object or half of a surrogate pair.
    result<std::string_view> canonical(std::string_view json);

private:
    struct machine;
    std::unique_ptr<machine> machine_;
};

}    // namespace caisson

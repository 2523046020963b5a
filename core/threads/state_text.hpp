#pragma once

#include "core/base/error.hpp"

#include <cstddef>
#include <memory>
#include <string_view>

namespace caisson {

/// What a state may be at most.
struct state_bounds {
    std::size_t max_bytes = 16 << 20;    // as it was written
    std::size_t max_depth = 128;         // objects and lists within each other; at most 1,000
};

/// Brings JSON into one form, so that equal states have equal bytes: no white space, members in the order of their names' bytes,
/// the shortest escapes, all other characters as they are. Numbers are kept byte for byte as they were written and go through no
/// arithmetic. The form is what Python's json.dumps(sort_keys=True, ensure_ascii=False, separators=(",", ":")) makes of anything
/// but floats. Reads the text once; uses its memory again. One thread at a time.
class state_canonicalizer {
public:
    explicit state_canonicalizer(state_bounds bounds = {});
    ~state_canonicalizer();
    state_canonicalizer(state_canonicalizer&&) noexcept;
    state_canonicalizer& operator=(state_canonicalizer&&) noexcept;

    /// The canonical form of `json`, valid until the next call; never longer than `json`. The errors' detail is a phrase that follows
    /// the name of the field, with the place as a JSON Pointer. Errors: errc::too_large beyond max_bytes; errc::bad_request: it is
    /// not JSON in UTF-8, too deep, has a name twice in one object, or half of a surrogate pair.
    result<std::string_view> canonical(std::string_view json);

private:
    struct machine;
    std::unique_ptr<machine> machine_;
};

}    // namespace caisson

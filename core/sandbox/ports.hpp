#pragma once

#include "core/async/task.hpp"
#include "core/base/error.hpp"
#include "core/sandbox/types.hpp"

#include <vector>

namespace caisson {

/// Sandboxes of this node. Call from the I/O thread; the work runs on the store's own database threads.
class sandbox_store {
public:
    virtual ~sandbox_store() = default;

    /// Errors: errc::conflict if the id exists.
    virtual task<result<void>> insert(sandbox_row row) = 0;
    /// Sets state, cause and what the runtime needs to find it again. Errors: errc::not_found.
    virtual task<result<void>> update(
        sandbox_id id, sandbox_state state, std::string runtime_state, std::string cause, std::optional<std::int64_t> ended_at_ms) = 0;
    /// Errors: errc::not_found.
    virtual task<result<sandbox_row>> find(sandbox_id id) = 0;
    /// Those that have not ended (creating, running, paused, stopped), oldest first.
    virtual task<result<std::vector<sandbox_row>>> alive() = 0;
};

}    // namespace caisson

#pragma once

#include "core/async/task.hpp"
#include "core/base/error.hpp"
#include "core/sandbox/types.hpp"

#include <map>
#include <vector>

namespace caisson {

/// Records of this node's sandboxes. Call from the I/O thread; the work runs on the store's own database threads.
class sandbox_store {
public:
    virtual ~sandbox_store() = default;

    /// Errors: errc::conflict if the id exists.
    virtual task<result<void>> insert(sandbox_row row) = 0;
    /// Sets state, runtime_state, cause and end. Errors: errc::not_found.
    virtual task<result<void>> update(
        sandbox_id id, sandbox_state state, std::string runtime_state, std::string cause, std::optional<std::int64_t> ended_at_ms) = 0;
    /// Errors: errc::not_found.
    virtual task<result<sandbox_row>> find(sandbox_id id) = 0;
    /// Sandboxes that have not ended (creating, running, paused, stopped), oldest first.
    virtual task<result<std::vector<sandbox_row>>> alive() = 0;
    /// Marks a sandbox that has not ended as destroyed and clears its runtime_state. Errors: errc::not_found if no such sandbox is alive.
    virtual task<result<void>> end(sandbox_id id, std::string cause, std::int64_t ended_at_ms) = 0;
    /// Removes at most `limit` records of sandboxes that ended before `before_ms` (Unix time), oldest first. Returns the count.
    virtual task<result<std::size_t>> erase_ended(std::int64_t before_ms, std::size_t limit) = 0;
};

/// All holders of one kind: knows which of their sandboxes are still needed. I/O thread.
class sandbox_holder {
public:
    virtual ~sandbox_holder() = default;

    /// The recorded sandboxes that are needed, in no order. The sweep removes all others of this kind. Errors: those of the stores; then
    /// none is removed.
    virtual task<result<std::vector<sandbox_id>>> sandboxes_held() = 0;
};

using sandbox_holders = std::map<holder_kind, sandbox_holder*>;

}    // namespace caisson

#pragma once

#include "core/sandbox/lease.hpp"
#include "core/sandbox/services.hpp"
#include "core/sandbox/sweeper.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace caisson {

/// The sandboxes of this server: gives them to holders, finds those of an earlier server, removes them, and sweeps what is left over. It
/// knows nothing of executions. I/O thread only.
class sandbox_service {
public:
    /// Called when a sandbox is made for somebody who waits.
    using make_listener = std::function<void(const runtime& where)>;

    /// `ready` and `sweeps` outlive it, and so does what the others refer to.
    sandbox_service(
        sandbox_services services, ready_sandboxes& ready, make_listener making, sandbox_holders holders, const sweep_rules& sweeps)
        : use_(services), ready_(ready), making_(std::move(making)), sweeper_(services, std::move(holders), sweeps)
    {
    }

    /// Whether try_acquire() would probably return a sandbox.
    bool has_ready(const sandbox_shape& wanted) const { return ready_.has_ready(wanted); }
    /// A sandbox that is ready now, with its link and its group; nothing if there is none.
    std::optional<sandbox_lease> try_acquire(const sandbox_shape& wanted) { return ready_.claim(wanted); }

    /// Creates a sandbox under `wanted.spec.id`, or takes a prepared one with an id of its own. Errors: as runtime::create().
    task<result<sandbox_lease>> create(sandbox_shape wanted);
    /// Starts a created sandbox. A runtime that creates fast makes the program's group meanwhile, and the lease has it then. Errors: as
    /// runtime::start(); the sandbox is still to be removed then. `created` lives until this returns.
    task<result<void>> start(sandbox_lease* created, group_limits limits);
    /// Opens the group of the lease's program unless the lease has it. Errors: errc::runtime_unavailable.
    static result<void> open_group(sandbox_lease& lease, group_limits limits);

    /// The record of a sandbox that runs from now on.
    sandbox_row record_of(const living_sandbox& home, const tenant_id& tenant, std::string runtime, holder_ref holder) const;

    /// Finds a sandbox of an earlier server by its record. Waits as long as the store does not answer, and logs that with `holder`. Errors:
    /// errc::gone if nothing is left of it; errc::not_found if it has no record, or its runtime is not enabled any more; others may pass.
    task<result<std::shared_ptr<living_sandbox>>> recover(sandbox_id id, std::string runtime, log_field holder);

    struct removal {
        std::shared_ptr<living_sandbox> home;    // null: nothing is left of it
        std::optional<sandbox_id> recorded;      // whose record ends with it; nothing: it has none
        std::string cause;                       // for the record
    };
    /// Destroys the sandbox within 30 s, then ends its record: as destroyed, or as lost where there was nothing to destroy. May be
    /// repeated. Errors: errc::timed_out and those of sandbox::destroy(): the sandbox is there and its record as it was; those of the
    /// store: the sandbox is gone, and its record says that it lives.
    task<result<void>> remove(removal what);

    sweeper& sweeps() { return sweeper_; }
    const sweeper& sweeps() const { return sweeper_; }

private:
    const sandbox_services use_;
    ready_sandboxes& ready_;
    const make_listener making_;
    sweeper sweeper_;
};

}    // namespace caisson

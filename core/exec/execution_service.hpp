#pragma once

#include "core/exec/execution_access.hpp"
#include "core/exec/execution_holder.hpp"
#include "core/exec/execution_intake.hpp"
#include "core/exec/execution_life.hpp"
#include "core/exec/execution_restart.hpp"
#include "core/exec/execution_shutdown.hpp"
#include "core/exec/live_executions.hpp"
#include "core/exec/record/record_retention.hpp"
#include "core/exec/services.hpp"
#include "core/pool/idle_gate.hpp"
#include "core/pool/stocker.hpp"
#include "core/pool/warm_pool.hpp"
#include "core/sandbox/sandbox_service.hpp"

#include <memory>
#include <vector>

namespace caisson {

/// Executions, as the doors see them: accepts, finds, watches, steers and removes them. All names are scoped by tenant: another tenant's id
/// is errc::not_found. I/O thread only.
class execution_service {
public:
    explicit execution_service(execution_services services);

    /// Takes up what an earlier server left: sweeps the runtimes, re-attaches what runs, queues what waited. Call once,
    /// before submit(). Errors: what the stores say.
    task<result<void>> start();

    /// Weights and bounds of single tenants. Call before start().
    void set_tenants(std::map<tenant_id, tenant_bounds> tenants) { queue_.set_tenants(std::move(tenants)); }
    /// Of each tenant whose bounds do not say, from now on.
    void set_tenant_most(std::size_t max_running, std::uint64_t max_memory_bytes) { queue_.set_tenant_most(max_running, max_memory_bytes); }

    /// Records an execution and starts it when its turn comes. Durable on return. Errors: errc::queue_full and errc::quota_exceeded (the
    /// tenant's ended executions take too much) with facts; errc::runtime_unavailable while the server stops, or by
    /// services.rules.may_store.
    task<result<execution_row>> submit(tenant_id tenant, execution_spec spec);

    using answered = execution_intake::answered;
    using submission = execution_intake::submission;
    using stdin_request = execution_access::stdin_request;

    /// As submit(), for a caller who waits for the end in any case: what ends within milliseconds is recorded once, with its end, which is
    /// returned. See docs/adr/0019.
    task<result<submission>> submit_awaited(tenant_id tenant, execution_spec spec);
    /// As submit(), but once for each key: what comes again under it within its lifetime gets the first one's execution, also
    /// while that one is being recorded, and after a restart. A request that is refused uses no key. Errors: also
    /// errc::unprocessable for another fingerprint, errc::gone if the execution was erased, errc::quota_exceeded for too many keys.
    task<result<submission>> submit_once(tenant_id tenant, execution_spec spec, idempotency_claim claim);
    /// The execution for which the key was used already, if it was. Errors: as submit_once().
    task<result<std::optional<submission>>> find_submission(tenant_id tenant, idempotency_claim claim);
    /// Removes expired keys in small batches, until it is cancelled.
    task<> forget_expired_keys();
    /// Removes ended executions that are too old or too much, as services.rules.retention says, until it is cancelled.
    task<> keep_within_bounds() { return retention_.run(); }

    /// Whether it is being carried out here. If not, and find() then gives a final status, its record and its log stay as they are
    /// until erase().
    bool is_live(const tenant_id& tenant, const execution_id& id) const { return live_.find(tenant, id) != nullptr; }
    /// As it is now. Errors: errc::not_found.
    task<result<execution_row>> find(tenant_id tenant, execution_id id);
    /// What the tenant's executions came to, since the first one.
    task<result<execution_totals>> totals(tenant_id tenant);
    /// What a skill was given and gave so far; texts of more than `most_bytes` are left out. Errors: errc::not_found.
    task<result<execution_payload>> payload(tenant_id tenant, execution_id id, std::size_t most_bytes);
    /// A piece of one of them, as execution_store::read_payload(). Errors: errc::not_found.
    task<result<payload_piece>> read_payload(
        tenant_id tenant, execution_id id, payload_part part, std::uint64_t offset, std::size_t most_bytes);
    /// As find(), when it has ended, at `until`, or when this server is about to stop, whichever is first.
    task<result<execution_row>> wait(tenant_id tenant, execution_id id, steady_time until);
    task<result<std::vector<execution_row>>> list(tenant_id tenant, execution_filter filter);

    /// Asks for its end; idempotent. Errors: errc::not_found; errc::conflict if it has ended.
    task<result<execution_row>> cancel(tenant_id tenant, execution_id id);
    /// Errors: errc::not_found; errc::conflict unless it runs.
    task<result<void>> signal(tenant_id tenant, execution_id id, int signal_number, protocol::agent_link::target to);
    /// Errors: as signal(), and errc::conflict if it has no terminal.
    task<result<void>> resize(tenant_id tenant, execution_id id, pty_size size);

    /// Returns how many bytes of stdin the sandbox holds: all that were given, or fewer at `until` or when this server stops;
    /// what lies behind is to be given again. Errors: errc::not_found;
    /// errc::conflict if stdin is closed or was never open, if it has ended, or if `offset` leaves a hole;
    /// errc::rate_limited if too much waits for the program to read; errc::runtime_unavailable if an execution that this
    /// server takes up is not heard of until `until`, or if the sandbox has all bytes but not the end: it is to be given again.
    task<result<std::uint64_t>> write_stdin(tenant_id tenant, execution_id id, stdin_request request, steady_time until);

    /// Errors: errc::not_found; errc::conflict while it has not ended.
    task<result<void>> erase(tenant_id tenant, execution_id id);
    /// Of removals, by tenant and id: for those who keep what they read of an execution that has ended.
    const change_clock& removals() const { return access_.removals(); }

    /// A viewer of the log from `after` on. Errors: errc::not_found.
    task<result<std::unique_ptr<log_reader>>> open_log(tenant_id tenant, execution_id id, log_position after);
    /// The same of a record that the caller has just read.
    std::unique_ptr<log_reader> open_log_of(const execution_row& row, log_position after) const;

    struct counts {
        std::size_t running = 0;
        std::size_t waiting = 0;
    };
    counts load() const { return {queue_.running(), queue_.waiting()}; }
    counts load(const tenant_id& tenant) const { return {queue_.running(tenant), queue_.waiting(tenant)}; }

    /// From now on as many sandboxes of `shape` as services.sources.pool says are kept ready, whatever the demand.
    void keep_ready(sandbox_shape shape) { pool_.keep(std::move(shape)); }
    /// From now on runtimes prepare sandboxes with these limits before they are asked for, as many as each is set to.
    void prepare_ahead(const sandbox_limits& limits) { stock_.begin(limits); }
    /// How many sandboxes of a runtime wait for an execution.
    std::size_t ready_sandboxes(std::string_view runtime) const { return pool_.ready(runtime); }

    /// Who waits for room to be kept in may begin if services.rules.may_store says so now. Call whenever its answers change.
    void look_again() { queue_.look_again(); }

    /// What the sweeps since the start did.
    sweeper::counts sweeps() const { return sandboxes_.sweeps().totals(); }

    /// Whether sandboxes of a runtime are made at present: not while it keeps failing.
    runtime_breakers::view breaker_of(const std::string& runtime) const { return life_.places().breaker_of(runtime); }

    /// From now on submit() refuses, and wait() returns at once.
    void stop_accepting();
    bool stopping() const { return live_.is_closed(); }
    /// Leaves running sandboxes to the next server: what was heard is committed and acknowledged, links are closed.
    /// Errors: errc::timed_out if something does not end, such as a write to a disk that does not answer: the service must not be
    /// destroyed then, but the process may end at any moment, since what it answered for is durable.
    task<result<void>> hand_over(steady_time until);
    /// Cancels all executions and waits until their ends are recorded and their sandboxes removed, within the bounds; then hands over
    /// what is left. Errors: as hand_over().
    task<result<void>> end_all(end_bounds within = {});

private:
    execution_services use_;
    admission queue_;
    task_group cleanup_;
    idle_gate idle_gate_;
    warm_pool pool_;
    stocker stock_;
    execution_holder holder_;
    sandbox_service sandboxes_;
    kept_records kept_;
    execution_life life_;
    live_executions live_;
    execution_access access_;
    execution_intake intake_;
    execution_restart restart_;
    execution_shutdown shutdown_;
    record_retention retention_;
};

}    // namespace caisson

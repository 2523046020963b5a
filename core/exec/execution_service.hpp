#pragma once

#include "core/exec/admission.hpp"
#include "core/exec/log_reader.hpp"
#include "core/exec/runner.hpp"
#include "core/exec/services.hpp"

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace caisson {

/// Executions: accepts, finds, watches, steers and removes them. All names are scoped by tenant: another tenant's id is
/// errc::not_found. I/O thread only.
class execution_service {
public:
    explicit execution_service(execution_services services);

    /// Takes up what an earlier server left: sweeps the runtimes, re-attaches what runs, queues what waited. Call once,
    /// before submit(). Errors: what the stores say.
    task<result<void>> start();

    /// Records an execution and starts it as soon as there is room. Durable on return. Errors: errc::queue_full.
    task<result<execution_row>> submit(tenant_id tenant, execution_spec spec);

    /// As it is now. Errors: errc::not_found.
    task<result<execution_row>> find(tenant_id tenant, execution_id id);
    /// As find(), when it has ended, at `until`, or when this server is about to stop, whichever is first.
    task<result<execution_row>> wait(tenant_id tenant, execution_id id, steady_time until);
    task<result<std::vector<execution_row>>> list(tenant_id tenant, execution_filter filter);

    /// Asks for its end; idempotent. Errors: errc::not_found; errc::conflict if it has ended.
    task<result<execution_row>> cancel(tenant_id tenant, execution_id id);
    /// Errors: errc::not_found; errc::conflict unless it runs.
    task<result<void>> signal(tenant_id tenant, execution_id id, int signal_number, protocol::agent_link::target to);
    /// Errors: as signal(), and errc::conflict if it has no terminal.
    task<result<void>> resize(tenant_id tenant, execution_id id, pty_size size);

    struct stdin_request {
        std::string data;
        std::optional<std::uint64_t> offset;    // where data begins; what was given before is dropped
        bool eof = false;
    };
    /// Returns how many bytes of stdin the sandbox holds: all that were given, or fewer at `until` or when this server stops;
    /// what lies behind is to be given again. Errors: errc::not_found;
    /// errc::conflict if stdin is closed or was never open, if it has ended, or if `offset` leaves a hole;
    /// errc::rate_limited if too much waits for the program to read; errc::runtime_unavailable if an execution that this
    /// server takes up is not heard of until `until`.
    task<result<std::uint64_t>> write_stdin(tenant_id tenant, execution_id id, stdin_request request, steady_time until);

    /// Errors: errc::not_found; errc::conflict while it has not ended.
    task<result<void>> erase(tenant_id tenant, execution_id id);

    /// A viewer of the log from `after` on. Errors: errc::not_found.
    task<result<std::unique_ptr<log_reader>>> open_log(tenant_id tenant, execution_id id, log_position after);

    struct counts {
        std::size_t running = 0;
        std::size_t waiting = 0;
    };
    counts load() const { return {queue_.running(), queue_.waiting()}; }

    /// From now on submit() refuses, and wait() returns at once.
    void stop_accepting();
    bool stopping() const { return stopping_; }
    /// Leaves running sandboxes to the next server: what was heard is committed and acknowledged, links are closed.
    task<> hand_over(steady_time until);
    /// Cancels all executions and waits for their recorded ends until `until`; then hands over what is left.
    task<> end_all(steady_time until);

private:
    using live_ptr = std::shared_ptr<live_execution>;

    task<> take_up_all(std::vector<unfinished_execution> left);
    task<> finish_from_log(live_ptr one);
    live_ptr make_live(execution_row row, execution_spec spec, log_extent stored);
    void launch(live_ptr one, bool in_sandbox);
    task<> run_and_leave(live_ptr one, bool in_sandbox);
    std::uint64_t waiting_content() const;
    live_ptr find_live(const tenant_id& tenant, const execution_id& id) const;
    task<result<live_ptr>> running_one(tenant_id tenant, execution_id id);
    bool may_wait(steady_time until) const { return !stopping_ && use_.time.steady_now() < until; }
    task<> wait_for_change(live_ptr one, steady_time until);
    task<> wait_until_stable();
    task<> flush_all();

    execution_services use_;
    admission queue_;
    task_group runs_;
    task_group cleanup_;
    runner runner_;
    notifier changed_;    // an execution left, or the stop began
    std::unordered_map<execution_id, live_ptr> live_;
    bool stopping_ = false;
};

}    // namespace caisson

#pragma once

#include "core/admission/admission.hpp"
#include "core/base/change_clock.hpp"
#include "core/exec/live_executions.hpp"
#include "core/exec/record/kept_records.hpp"
#include "core/exec/services.hpp"
#include "core/log/log_reader.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace caisson {

/// Finds, watches, steers and removes executions; what each function does is said by execution_service. I/O thread only.
class execution_access {
public:
    /// All outlive it.
    execution_access(const execution_services& services, admission& queue, live_executions& live, kept_records& kept)
        : use_(services), queue_(queue), live_(live), kept_(kept)
    {
    }

    /// A part of stdin.
    struct stdin_request {
        std::string data;
        std::optional<std::uint64_t> offset;    // where data begins; what was given before is dropped
        bool eof = false;
    };

    task<result<execution_row>> find(tenant_id tenant, execution_id id);
    task<result<execution_totals>> totals(tenant_id tenant);
    task<result<execution_payload>> payload(tenant_id tenant, execution_id id, std::size_t most_bytes);
    task<result<payload_piece>> read_payload(
        tenant_id tenant, execution_id id, payload_part part, std::uint64_t offset, std::size_t most_bytes);
    task<result<execution_row>> wait(tenant_id tenant, execution_id id, steady_time until);
    task<result<std::vector<execution_row>>> list(tenant_id tenant, execution_filter filter);
    task<result<execution_row>> cancel(tenant_id tenant, execution_id id);
    task<result<void>> signal(tenant_id tenant, execution_id id, int signal_number, protocol::agent_link::target to);
    task<result<void>> resize(tenant_id tenant, execution_id id, pty_size size);
    task<result<std::uint64_t>> write_stdin(tenant_id tenant, execution_id id, stdin_request request, steady_time until);
    task<result<void>> erase(tenant_id tenant, execution_id id);
    task<result<std::unique_ptr<log_reader>>> open_log(tenant_id tenant, execution_id id, log_position after);
    std::unique_ptr<log_reader> open_log_of(const execution_row& row, log_position after) const;
    const change_clock& removals() const { return removals_; }

    /// The row as clients see it.
    execution_row shown(const execution& exec) const;

private:
    std::string what_it_waits_for(const execution& exec) const;
    task<> erase_contents(tenant_id tenant, std::vector<content_id> contents);
    task<result<execution_ptr>> running_one(tenant_id tenant, execution_id id);
    bool may_wait(steady_time until) const { return !live_.is_closed() && use_.time.steady_now() < until; }
    task<> wait_for_change(execution_ptr exec, steady_time until);

    const execution_services& use_;
    admission& queue_;
    live_executions& live_;
    kept_records& kept_;
    change_clock removals_;
};

}    // namespace caisson

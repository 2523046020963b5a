#include "core/exec/execution_service.hpp"

#include <utility>

namespace caisson {

execution_service::execution_service(execution_services services)
    : use_(std::move(services))
    , queue_(use_.rules.bounds, use_.time)
    , cleanup_(use_.executor, use_.log)
    , idle_gate_(use_.executor, use_.time)
    , pool_(use_.for_sandboxes(), idle_gate_)
    , stock_(use_.for_sandboxes(), idle_gate_)
    , holder_(use_.stores.executions)
    , sandboxes_(
          use_.for_sandboxes(), pool_, [this](const runtime& where) { stock_.note(where); }, {{holder_kind::execution, &holder_}},
          use_.sweeps)
    , kept_(use_.rules.retention)
    , life_(use_, queue_, sandboxes_, idle_gate_, cleanup_)
    , live_(use_, life_, kept_)
    , access_(use_, queue_, live_, kept_)
    , intake_(use_, queue_, pool_, idle_gate_, life_, live_, access_)
    , restart_(use_, queue_, sandboxes_.sweeps(), life_, live_, kept_)
    , shutdown_(use_, queue_, pool_, stock_, sandboxes_.sweeps(), cleanup_, life_, live_, access_)
    , retention_({use_.time, use_.log, use_.stores.executions, kept_,
          [this](tenant_id tenant, execution_id id) { return erase(std::move(tenant), std::move(id)); }})
{
    queue_.set_gate([this](const tenant_id& tenant) { return live_.may_keep_more(tenant).has_value(); });
}

task<result<void>> execution_service::start()
{
    auto started = co_await restart_.start();
    if (started.has_value())
        pool_.start();
    co_return started;
}

void execution_service::stop_accepting()
{
    pool_.close();
    stock_.close();
    idle_gate_.close();
    live_.close();
}

task<result<void>> execution_service::hand_over(steady_time until)
{
    stop_accepting();
    return shutdown_.hand_over(until);
}

task<result<void>> execution_service::end_all(end_bounds within)
{
    stop_accepting();
    return shutdown_.end_all(within);
}

task<result<execution_row>> execution_service::submit(tenant_id tenant, execution_spec spec)
{
    return intake_.submit(std::move(tenant), std::move(spec));
}

task<result<execution_service::submission>> execution_service::submit_awaited(tenant_id tenant, execution_spec spec)
{
    return intake_.submit_awaited(std::move(tenant), std::move(spec));
}

task<result<execution_service::submission>> execution_service::submit_once(tenant_id tenant, execution_spec spec, idempotency_claim claim)
{
    return intake_.submit_once(std::move(tenant), std::move(spec), std::move(claim));
}

task<result<std::optional<execution_service::submission>>> execution_service::find_submission(tenant_id tenant, idempotency_claim claim)
{
    return intake_.find_submission(std::move(tenant), std::move(claim));
}

task<> execution_service::forget_expired_keys() { return intake_.forget_expired_keys(); }

task<result<execution_row>> execution_service::find(tenant_id tenant, execution_id id)
{
    return access_.find(std::move(tenant), std::move(id));
}

task<result<execution_totals>> execution_service::totals(tenant_id tenant) { return access_.totals(std::move(tenant)); }

task<result<execution_payload>> execution_service::payload(tenant_id tenant, execution_id id, std::size_t most_bytes)
{
    return access_.payload(std::move(tenant), std::move(id), most_bytes);
}

task<result<payload_piece>> execution_service::read_payload(
    tenant_id tenant, execution_id id, payload_part part, std::uint64_t offset, std::size_t most_bytes)
{
    return access_.read_payload(std::move(tenant), std::move(id), part, offset, most_bytes);
}

task<result<execution_row>> execution_service::wait(tenant_id tenant, execution_id id, steady_time until)
{
    return access_.wait(std::move(tenant), std::move(id), until);
}

task<result<std::vector<execution_row>>> execution_service::list(tenant_id tenant, execution_filter filter)
{
    return access_.list(std::move(tenant), std::move(filter));
}

task<result<execution_row>> execution_service::cancel(tenant_id tenant, execution_id id)
{
    return access_.cancel(std::move(tenant), std::move(id));
}

task<result<void>> execution_service::signal(tenant_id tenant, execution_id id, int signal_number, protocol::agent_link::target to)
{
    return access_.signal(std::move(tenant), std::move(id), signal_number, to);
}

task<result<void>> execution_service::resize(tenant_id tenant, execution_id id, pty_size size)
{
    return access_.resize(std::move(tenant), std::move(id), size);
}

task<result<std::uint64_t>> execution_service::write_stdin(tenant_id tenant, execution_id id, stdin_request request, steady_time until)
{
    return access_.write_stdin(std::move(tenant), std::move(id), std::move(request), until);
}

task<result<void>> execution_service::erase(tenant_id tenant, execution_id id) { return access_.erase(std::move(tenant), std::move(id)); }

task<result<std::unique_ptr<log_reader>>> execution_service::open_log(tenant_id tenant, execution_id id, log_position after)
{
    return access_.open_log(std::move(tenant), std::move(id), after);
}

std::unique_ptr<log_reader> execution_service::open_log_of(const execution_row& row, log_position after) const
{
    return access_.open_log_of(row, after);
}

}    // namespace caisson

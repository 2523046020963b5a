#include "app/server/webhooks.hpp"

#include "adapters/crypto/digest.hpp"
#include "app/wire/execution_view.hpp"

namespace caisson {

namespace {

/// The execution's JSON object as GET returns it, without output and without a skill's input and output.
task<result<std::string>> message_of(execution_store* from, tenant_id tenant, execution_id execution)
{
    auto row = co_await from->find(std::move(tenant), std::move(execution));
    if (row.has_error())
        co_return row.error();
    co_return wire::execution_json(*row);
}

webhook_options webhook_options_of(const webhook_config& config)
{
    using std::chrono::milliseconds;
    webhook_options out;
    out.schedule.attempts = static_cast<int>(config.attempts);
    out.schedule.delays.first = milliseconds(config.first_delay_ms);
    out.schedule.delays.longest = milliseconds(config.max_delay_ms);
    out.timeout = milliseconds(config.timeout_ms);
    out.max_in_flight = static_cast<std::size_t>(config.max_in_flight);
    out.max_per_tenant = static_cast<std::size_t>(config.max_in_flight_per_tenant);
    out.max_per_receiver = static_cast<std::size_t>(config.max_in_flight_per_receiver);
    return out;
}

http_webhook_sender::reach reach_of(const webhook_config& config)
{
    return config.allow_private ? http_webhook_sender::reach::everywhere : http_webhook_sender::reach::public_only;
}

webhook_services services_of(storage& store, webhook_sender& sender, io_executor executor, timers& time, logger& log, task_group& tasks)
{
    auto body = [from = &store.executions()](
                    tenant_id tenant, execution_id execution) { return message_of(from, std::move(tenant), std::move(execution)); };
    return {executor, time, log, store.webhooks(), sender, std::move(body), &hmac_sha256, tasks};
}

}    // namespace

webhooks::webhooks(const server_config& config, storage& store, io_executor executor, timers& time, logger& log, task_group& tasks)
    : sender_(executor, time, reach_of(config.webhooks), 2 * static_cast<std::size_t>(config.webhooks.max_in_flight))
    , deliverer_(services_of(store, sender_, executor, time, log, tasks), webhook_options_of(config.webhooks))
{
    if (config.webhooks.allow_private)
        log.warning("webhooks.allow_private: requests can have messages sent to this host and to private networks");
}

}    // namespace caisson

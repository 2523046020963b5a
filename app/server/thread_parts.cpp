#include "app/server/thread_parts.hpp"

#include "adapters/crypto/sha256_hasher.hpp"

namespace caisson {

namespace {

thread_options thread_options_of(const threads_config& config)
{
    thread_options options;
    options.state.max_bytes = static_cast<std::size_t>(config.max_state_bytes);
    options.defaults = {config.max_checkpoints, config.ttl_ms == 0 ? std::nullopt : std::optional(config.ttl_ms)};
    options.bounds = {config.max_bytes_per_tenant, config.max_threads_per_tenant};
    options.round_interval = std::chrono::milliseconds(config.sweep_interval_ms);
    return options;
}

}    // namespace

thread_parts::thread_parts(
    const threads_config& config, storage& store, storage_gate may_store, io_executor executor, timers& time, logger& log, id_factory& ids)
    : service_({executor, time, log, ids, store.threads(), packer_, workers_, &make_sha256_hasher, thread_options_of(config),
          std::move(may_store)})
{
}

}    // namespace caisson

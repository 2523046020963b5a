#include "app/server/ready_sandboxes.hpp"

namespace caisson {

std::optional<pool_bounds> pool_bounds_of(const pool_config& config)
{
    if (!config.enabled)
        return std::nullopt;
    return pool_bounds{static_cast<std::size_t>(config.idle), static_cast<std::size_t>(config.max), config.max_bytes};
}

pool_shape usual_shape(const server_config& config, std::string runtime)
{
    const auto& limits = config.limits;
    sandbox_spec spec;
    spec.limits = {limits.memory_bytes.def, limits.cpu_milli.def, limits.pids.def, limits.disk_bytes.def, limits.inodes.def};
    spec.lease = std::chrono::milliseconds(config.executions.agent_lease_ms);
    return {std::move(runtime), std::move(spec), nullptr, ""};
}

}    // namespace caisson

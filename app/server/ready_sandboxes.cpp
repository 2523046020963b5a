#include "app/server/ready_sandboxes.hpp"

namespace caisson {

std::optional<pool_bounds> pool_bounds_of(const pool_config& config)
{
    if (!config.enabled)
        return std::nullopt;
    return pool_bounds{.idle = static_cast<std::size_t>(config.idle),
        .most = static_cast<std::size_t>(config.max),
        .most_bytes = config.max_bytes,
        .most_put_off = static_cast<std::size_t>(config.max_put_off),
        .interpreters = config.warm_interpreters,
        .preload = config.preload};
}

sandbox_limits usual_limits(const server_config& config)
{
    const auto& limits = config.limits;
    return {limits.memory_bytes.def, limits.cpu_milli.def, limits.pids.def, limits.disk_bytes.def, limits.inodes.def};
}

void keep_usual_ready(
    execution_service& executions, const server_config& config, const language_catalog& languages, const std::string& runtime)
{
    sandbox_spec spec;
    spec.limits = usual_limits(config);
    spec.lease = std::chrono::milliseconds(config.executions.agent_lease_ms);
    sandbox_shape shape{runtime, std::move(spec), nullptr, ""};
    executions.keep_ready(shape);
    const auto* python = languages.find("python");
    if (!config.pool.warm_interpreters || python == nullptr || !python->available())
        return;
    shape.interpreter = ready_interpreter{run_command(*python, python->what->file, {}), ""};
    executions.keep_ready(std::move(shape));
}

}    // namespace caisson

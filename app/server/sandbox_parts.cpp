#include "app/server/sandbox_parts.hpp"

#include "adapters/host/seccomp_filter.hpp"
#include "app/server/ready_sandboxes.hpp"

#include <chrono>

namespace caisson {

sandbox_sources sandbox_sources_of(const server_config& config, const host& host, const instance& self, image_supply& images)
{
    sandbox_sources made;
    for (auto* each : host.all())
        made.runtimes.emplace(std::string(each->name()), each);
    made.enabled = config.runtimes;
    made.fallback = config.fallback;
    made.images = host.images() == nullptr ? nullptr : &images;
    made.pool = pool_bounds_of(config.pool);
    made.payload_filter = payload_filter();
    made.rest_of_filter = rest_of_payload_filter();
    made.link.instance = self.id;
    made.link.epoch = self.epoch;
    made.link.lease = std::chrono::milliseconds(config.executions.agent_lease_ms);
    return made;
}

}    // namespace caisson

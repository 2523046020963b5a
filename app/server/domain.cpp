#include "app/server/domain.hpp"

#include "adapters/crypto/digest.hpp"
#include "app/server/left_overs.hpp"
#include "app/server/registry_logins.hpp"
#include "app/server/sandbox_parts.hpp"
#include "app/server/tenants.hpp"

#include <chrono>
#include <utility>

namespace caisson {

domain::domain(foundation& on, std::function<void()> webhook_due)
    : base(on)
    , room({base.time, *base.log, [this] { return space_of(base.config.data_dir); }, [this] { return base.store->bytes_by_tenant(); },
               [this] { base.store->make_room(); }, [this] { executions.look_again(); }},
          static_cast<std::uint64_t>(base.config.disk.min_free_bytes))
    , skills(base.config, *base.store, room.gate(), base.context.get_executor(), base.time, *base.log)
    , compiled(base.config, base.context.get_executor(), base.time, *base.log)
    , skill_limits(caisson::skill_limits(base.config))
    , host(base.config, base.self.id, base.context.get_executor(), base.time, *base.log, base.work)
    , images(
          base.context.get_executor(), base.time, *base.log, base.store->allowed_images(), host.images(), options_with_logins(base.config))
    , image_table(base.config.images)
    , skill_runs(
          skills.registry(), &skills.schemas(), images, skill_options_of(base.config), host_images(base.config.images.host), image_table)
    , threads(base.config.threads, *base.store, room.gate(), base.context.get_executor(), base.time, *base.log, base.ids)
    , executions(services(std::move(webhook_due)))
    , auth(base.store->keys(), base.time, &sha256_hex)
    , tickets(base.time, &sha256_hex)
    , keys(auth, base.time, base.context.get_executor())
    , signer(base.store->signing_keys(), base.time, *base.log, &hmac_sha256,
          {.lifetime = std::chrono::milliseconds(base.config.artifacts.url_lifetime_ms)})
    , janitor({base.time, *base.log, base.store->contents(), base.store->artifacts()},
          {.max_bytes_per_tenant = base.config.artifacts.max_bytes_per_tenant,
              .max_stored_per_tenant = 2 * base.config.artifacts.max_bytes_per_tenant + base.config.skills.max_bytes_per_tenant})
{
}

execution_services domain::services(std::function<void()> webhook_due)
{
    execution_services made{base.context.get_executor(), base.time, *base.log, base.ids,
        {base.store->executions(), base.store->events(), base.store->sandboxes()}};
    made.sources = sandbox_sources_of(base.config, host, base.self, images);
    made.rules.bounds = bounds_of(base.config);
    made.sweeps.interval = std::chrono::milliseconds(base.config.executions.sweep_interval_ms);
    made.sweeps.chores = sweep_chores(base.config, host.groups(), base.context.get_executor(), base.time, base.work);
    made.sweeps.chores.push_back({"packages on the engine", [this] { return host.sweep_packages(); }});
    made.rules.logs.ring_bytes = static_cast<std::size_t>(base.config.executions.live_buffer_bytes);
    made.stores.contents = &base.store->contents();
    made.stores.artifacts = &base.store->artifacts();
    made.rules.free_bytes = [this] { return space_of(base.config.data_dir).free; };
    made.rules.may_store = room.gate();
    made.rules.artifact_lifetime = std::chrono::milliseconds(base.config.artifacts.retention_ms);
    made.skills.trees = &skills.trees();
    made.skills.schemas = &skills.schemas();
    made.compiled = compiled.cache();
    made.stores.checkpoints = &threads.service();
    made.webhook_due = std::move(webhook_due);
    made.rules.idempotency = {base.config.idempotency.lifetime_ms, static_cast<std::size_t>(base.config.idempotency.max_keys_per_tenant)};
    made.rules.retention = retention_of(base.config.executions);
    return made;
}

}    // namespace caisson

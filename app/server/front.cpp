#include "app/server/front.hpp"

#include "adapters/crypto/digest.hpp"
#include "app/doors/rest/doors.hpp"

#include <utility>

namespace caisson {

front::front(domain& domain)
    : of(domain)
    , storage_state(*of.base.store, of.base.time, *of.base.log, [this] { return of.room.told(); })
    , api(api_services(), http::rest_doors())
    , http(of.base.context.get_executor(), of.base.time, *of.base.log, api, http_options(of.base.config.http))
    , transport(of.base.config, http, of.base.context.get_executor(), of.base.time, *of.base.log)
{
}

http::api_services front::api_services()
{
    wire::wire_context checks{&of.base.config.limits, &of.languages, of.base.config.default_runtime, &of.base.config.runtimes};
    http::api_services made{of.base.context.get_executor(), of.base.time, *of.base.log, of.executions, of.auth, of.tickets, of.keys,
        of.languages, of.host.enabled(), of.base.config, checks, &sha256_hex, &storage_state, [this] { return certificate(); },
        [this] { return of.base.turns.detail(); }};
    made.registry = &of.skills.registry();
    made.skills = &of.skill_runs;
    made.wire.skill_limits = &of.skill_limits;
    made.wire.compile = of.base.config.compile;
    made.wire.max_skill_input_bytes = of.base.config.skills.max_input_bytes;
    made.wire.artifacts = of.base.config.artifacts;
    made.artifacts = &of.base.store->artifacts();
    made.contents = &of.base.store->contents();
    made.signer = &of.signer;
    made.work = &of.base.files;
    made.texts = &large_texts;
    made.webhooks = &of.base.store->webhooks();
    made.skill_records = &of.base.store->skills();
    made.trees = &of.skills.trees();
    made.wire.private_webhooks = of.base.config.webhooks.allow_private;
    made.wire.images = &of.image_table;
    made.images = &of.images;
    made.threads = &of.threads.service();
    made.tenant_called = [this](std::string name) {
        return of.base.store->keys().ensure_tenant(std::move(name), of.base.ids.make<tenant_id>(), of.base.time.now_ms());
    };
    return made;
}

std::optional<wire::dependency> front::certificate() const
{
    const auto found = transport.certificate();
    return found ? std::optional(wire::dependency{"certificate", found->valid, found->detail}) : std::nullopt;
}

}    // namespace caisson

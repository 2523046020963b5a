#include "app/server/front.hpp"

#include "adapters/crypto/digest.hpp"
#include "app/doors/rest/doors.hpp"

#include <utility>

namespace caisson {

front::front(domain& domain)
    : parts(domain)
    , storage_state(*parts.base.store, parts.base.time, *parts.base.log, [this] { return parts.room.told(); })
    , api(api_services(), http::rest_doors())
    , http(parts.base.context.get_executor(), parts.base.time, *parts.base.log, api, http_options(parts.base.config.http))
    , transport(parts.base.config, http, parts.base.context.get_executor(), parts.base.time, *parts.base.log)
{
}

http::api_services front::api_services()
{
    wire::wire_context checks{&parts.base.config.limits, &parts.languages, parts.base.config.default_runtime, &parts.base.config.runtimes};
    http::api_services made{parts.base.context.get_executor(), parts.base.time, *parts.base.log, parts.executions, parts.auth,
        parts.tickets, parts.keys, parts.languages, parts.host.enabled(), parts.base.config, checks, &sha256_hex, &storage_state,
        [this] { return certificate(); }, [this] { return parts.base.turns.detail(); }};
    made.registry = &parts.skills.registry();
    made.skills = &parts.skill_runs;
    made.wire.skill_limits = &parts.skill_limits;
    made.wire.compile = parts.base.config.compile;
    made.wire.max_skill_input_bytes = parts.base.config.skills.max_input_bytes;
    made.wire.artifacts = parts.base.config.artifacts;
    made.artifacts = &parts.base.store->artifacts();
    made.contents = &parts.base.store->contents();
    made.signer = &parts.signer;
    made.work = &parts.base.files;
    made.texts = &large_texts;
    made.webhooks = &parts.base.store->webhooks();
    made.skill_records = &parts.base.store->skills();
    made.trees = &parts.skills.trees();
    made.wire.private_webhooks = parts.base.config.webhooks.allow_private;
    made.wire.images = &parts.image_table;
    made.images = &parts.images;
    made.threads = &parts.threads.service();
    made.tenant_called = [this](std::string name) {
        return parts.base.store->keys().ensure_tenant(std::move(name), parts.base.ids.make<tenant_id>(), parts.base.time.now_ms());
    };
    return made;
}

std::optional<wire::dependency> front::certificate() const
{
    const auto found = transport.certificate();
    return found ? std::optional(wire::dependency{"certificate", found->valid, found->detail}) : std::nullopt;
}

}    // namespace caisson

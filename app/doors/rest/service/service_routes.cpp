#include "app/doors/http/storage_watch.hpp"
#include "app/doors/rest/service/service_door.hpp"
#include "app/version.hpp"
#include "app/wire/control_request.hpp"
#include "app/wire/openapi.hpp"
#include "app/wire/service_view.hpp"
#include "core/exec/skill/skill_images.hpp"

namespace caisson::http {

task<> service_door::create_ticket(call_ptr call)
{
    if (const auto body = wire::parse_no_fields(call->request().body); body.has_error())
        return call->fail(body.error());
    auto ticket = use_.tickets.issue(call->who);
    if (ticket.has_error())
        return call->fail(ticket.error());
    return call->answer(201, wire::ticket_json(*ticket, use_.time.now_ms() + use_.tickets.lifetime().count()));
}

task<> service_door::get_languages(call_ptr call)
{
    const auto* images = has_images(use_.config.default_runtime) ? use_.wire.images : nullptr;
    return call->answer(200, wire::languages_json(use_.languages, images));
}

task<> service_door::get_runtimes(call_ptr call)
{
    std::vector<wire::runtime_item> all;
    for (const auto* each : use_.runtimes)
        all.push_back({&each->capabilities(), use_.executions.breaker_of(std::string(each->name())), each->traits().has_images,
            use_.executions.ready_sandboxes(each->name()), each->prepared()});
    return call->answer(200, wire::runtimes_json(all, use_.config.default_runtime));
}

task<> service_door::get_health(call_ptr call) { return call->answer(200, wire::health_json(version_text)); }

task<> service_door::get_ready(call_ptr call)
{
    std::vector<wire::dependency> needs;
    bool ready = true;
    for (const auto* each : use_.runtimes) {
        const auto& host = each->capabilities();
        const bool required = each->name() == use_.config.default_runtime;
        const auto breaker = use_.executions.breaker_of(std::string(each->name()));
        // A half-open breaker counts as ready: without requests there is no trial.
        const bool works = host.available && breaker.state != circuit_breaker::state::open;
        needs.push_back({each->name(), works, host.available ? wire::breaker_detail(breaker) : host.unavailable_reason, required});
        ready = ready && (works || !required);
    }
    if (use_.storage != nullptr) {
        for (auto& each : co_await use_.storage->look()) {
            ready = ready && (each.ready || !each.required);
            needs.push_back(std::move(each));
        }
    }
    if (const auto certificate = use_.certificate ? use_.certificate() : std::nullopt) {
        needs.push_back(*certificate);
        ready = ready && certificate->ready;
    }
    const auto sticking = use_.executions.sweeps().failing;
    needs.push_back({"left_overs", true,
        sticking == 0 ? "" : std::to_string(sticking) + " could not be removed; the server's log says why, and each sweep tries again"});
    needs.push_back({"io_thread", true, use_.long_turns ? use_.long_turns() : ""});
    const bool stopping = use_.executions.stopping();
    needs.push_back({"accepting", !stopping, stopping ? "the server is stopping" : ""});
    const int status = ready && !stopping ? 200 : 503;
    co_await call->answer(status, wire::ready_json(needs));
}

task<> service_door::get_openapi(call_ptr call) { return call->text(200, json_type, wire::openapi_json()); }

}    // namespace caisson::http

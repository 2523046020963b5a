#include "app/http/api.hpp"
#include "app/version.hpp"
#include "app/wire/openapi.hpp"
#include "app/wire/service_view.hpp"

namespace caisson::http {

task<> api::create_ticket(call_ptr one)
{
    auto ticket = use_.tickets.issue(one->who);
    if (ticket.has_error())
        return one->fail(ticket.error());
    return one->answer(201, wire::ticket_json(*ticket, use_.time.now_ms() + use_.tickets.lifetime().count()));
}

task<> api::get_languages(call_ptr one) { return one->answer(200, wire::languages_json(use_.languages)); }

task<> api::get_runtimes(call_ptr one)
{
    std::vector<const runtime_capabilities*> all;
    for (const auto* each : use_.runtimes)
        all.push_back(&each->capabilities());
    return one->answer(200, wire::runtimes_json(all, use_.config.default_runtime));
}

task<> api::get_health(call_ptr one) { return one->answer(200, wire::health_json(version_text)); }

task<> api::get_ready(call_ptr one)
{
    std::vector<wire::dependency> needs;
    bool ready = true;
    for (const auto* each : use_.runtimes) {
        const auto& host = each->capabilities();
        needs.push_back({each->name(), host.available, host.unavailable_reason});
        ready = ready && (host.available || each->name() != use_.config.default_runtime);
    }
    const bool stopping = use_.executions.stopping();
    needs.push_back({"accepting", !stopping, stopping ? "the server is stopping" : ""});
    return one->answer(ready && !stopping ? 200 : 503, wire::ready_json(needs));
}

task<> api::get_openapi(call_ptr one) { return one->text(200, "application/json", wire::openapi_json()); }

}    // namespace caisson::http

#pragma once

#include "app/doors/http/door.hpp"
#include "app/doors/http/services.hpp"
#include "app/wire/stats_view.hpp"

#include <vector>

namespace caisson::http {

/// The server itself: tickets, languages, runtimes, statistics, health, the contract.
class service_door : public door {
public:
    /// `services` outlive it.
    explicit service_door(const api_services& services);
    std::span<const route> routes() const override { return routes_; }

private:
    // service_routes.cpp
    task<> create_ticket(call_ptr call);
    task<> get_languages(call_ptr call);
    task<> get_runtimes(call_ptr call);
    task<> get_health(call_ptr call);
    task<> get_ready(call_ptr call);
    task<> get_openapi(call_ptr call);
    // stats_route.cpp
    task<result<wire::tenant_stats>> stats_of(tenant_id tenant);
    task<> get_stats(call_ptr call);

    const api_services& use_;
    std::vector<route> routes_;
};

}    // namespace caisson::http

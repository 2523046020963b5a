#include "app/doors/rest/service/service_door.hpp"

namespace caisson::http {

service_door::service_door(const api_services& services) : use_(services)
{
    routes_ = {
        {"POST", "/v1/tickets", scope::read, handler(this, &service_door::create_ticket)},
        {"GET", "/v1/languages", scope::read, handler(this, &service_door::get_languages)},
        {"GET", "/v1/runtimes", scope::read, handler(this, &service_door::get_runtimes)},
        {"GET", "/v1/stats", scope::read, handler(this, &service_door::get_stats)},
        {"GET", "/health", std::nullopt, handler(this, &service_door::get_health)},
        {"GET", "/ready", std::nullopt, handler(this, &service_door::get_ready)},
        {"GET", "/openapi.json", std::nullopt, handler(this, &service_door::get_openapi)},
    };
}

}    // namespace caisson::http

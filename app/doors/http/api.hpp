#pragma once

#include "app/doors/http/call.hpp"
#include "app/doors/http/door.hpp"
#include "app/doors/http/services.hpp"

#include <memory>
#include <string>
#include <vector>

namespace caisson::http {

/// The HTTP API: finds the route, authenticates the client and calls the route's handler. docs/openapi.yaml describes each route.
class api : public net::handler {
public:
    /// Makes its doors and takes their routes. Throws std::logic_error if two doors have the same route.
    api(api_services services, const std::vector<door_maker>& doors);
    api(const api&) = delete;
    api& operator=(const api&) = delete;

    task<> handle(net::exchange& exchange) override;
    net::body_mode body_mode_of(const net::request& head) const override;
    std::uint64_t body_limit(const net::request& head) const override;
    task<result<std::string>> admit(const net::request* head) override;
    void complete(const net::request& from, net::headers& answer) const override { use_.pages.tell(from, answer); }

    /// Method and path of every route, as "GET /v1/executions/{id}"; a test compares them with docs/openapi.yaml.
    std::vector<std::string> route_names() const;

private:
    task<> answer(call_ptr call, const route* to);
    /// `methods`: what the path supports.
    task<> answer_preflight(call_ptr call, std::string methods);
    task<> answer_route(call_ptr call, const route* to);
    /// `stream`: id of the execution whose events are requested; a ticket stays valid for that stream. Empty: a ticket works once.
    task<result<principal>> authenticate(const net::request* from, const route* to, std::string stream);
    task<result<principal>> redeem_ticket(std::string ticket, std::string stream);

    task<result<principal>> authenticate_signed(call_ptr call, const route* to);

    api_services use_;
    std::vector<std::unique_ptr<door>> doors_;
    std::vector<const route*> routes_;    // by the router's numbers
    net::router router_;
};

}    // namespace caisson::http

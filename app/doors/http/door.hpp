#pragma once

#include "adapters/net/exchange.hpp"
#include "app/doors/http/call.hpp"
#include "core/auth/scopes.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace caisson::http {

struct api_services;

/// As many bytes of a body as the server takes at all.
inline constexpr std::uint64_t whole_body = UINT64_MAX;

/// Whether a ticket in the address does instead of a key, as for what browsers open without headers.
enum class ticket_use : std::uint8_t {
    none,
    once,
    while_stream    // again too, for the events of the execution "{id}" until a minute after its end
};

/// One route of a door.
struct route {
    struct options {
        bool has_query = false;                            // false: query parameters are refused before the handler
        std::uint64_t body_bytes = 0;                      // at most; 0: no body is expected, a small one is taken
        net::body_mode body = net::body_mode::buffered;    // streamed: any content type, read by exchange().body(); needs body_bytes
        ticket_use by_ticket = ticket_use::none;
        /// What a signed address, which does instead of a key, is signed for; nothing: there is no such address. Not set: keys only.
        std::function<std::optional<std::string>(const call& call)> signed_resource = {};
    };
    std::string_view method;
    std::string_view pattern;      // as net::router has them; a literal
    std::optional<scope> needs;    // nothing: open to all
    std::function<task<>(call_ptr)> answer;
    options with = {};
};

/// A part of what the server speaks over HTTP, with its own routes: the REST API's nouns, or another protocol. Outlives its calls.
class door {
public:
    virtual ~door() = default;
    virtual std::span<const route> routes() const = 0;
};

/// `services` outlive the door.
using door_maker = std::function<std::unique_ptr<door>(const api_services& services)>;

/// A method of a door as a route's handler.
template <class Door>
std::function<task<>(call_ptr)> handler(Door* of, task<> (Door::*method)(call_ptr))
{
    return [of, method](call_ptr call) { return (of->*method)(std::move(call)); };
}

}    // namespace caisson::http

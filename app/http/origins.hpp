#pragma once

#include "adapters/net/address_range.hpp"
#include "adapters/net/http_types.hpp"
#include "core/base/config.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace caisson::http {

/// What clients reach this server by, and of which origins the pages are that may use it: http.public_url, http.allowed_origins,
/// http.trusted_proxies.
class origins {
public:
    /// `config` outlives this. What app/config would refuse in it is passed over.
    explicit origins(const server_config& config);

    /// Without a slash at the end: http.public_url, or the scheme and the host that the request was sent to. Those are X-Forwarded-Proto
    /// and X-Forwarded-Host of a trusted proxy, else this server's scheme and Host.
    std::string base(const net::request& from) const;

    /// Whether a page may open a WebSocket: one of this server's own origin, or of one that is allowed. So may a program, which sends no
    /// Origin.
    bool may_open_socket(const net::request& from) const;

    /// Whether the request comes from a page of an origin that is allowed.
    bool is_allowed(const net::request& from) const;

    /// What an answer to `from` says to the browser of such a page (Fetch standard, "CORS protocol").
    void tell(const net::request& from, net::headers& answer) const;

private:
    std::optional<std::string_view> forwarded(const net::request& from, std::string_view field) const;
    std::optional<std::string> own_origin(const net::request& from, std::string_view scheme) const;
    std::string scheme() const;

    const server_config& config_;
    std::optional<std::string> public_origin_;
    std::set<std::string, std::less<>> allowed_;
    std::vector<net::address_range> proxies_;
};

/// Whether a browser asks what a page of another origin may send, before it does.
bool is_preflight(const net::request& from);

/// The answer to that: `methods` and the fields that the API reads.
net::response preflight_answer(std::string methods);

}    // namespace caisson::http

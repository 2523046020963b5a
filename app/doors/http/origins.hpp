#pragma once

#include "adapters/net/address_range.hpp"
#include "adapters/net/http_types.hpp"
#include "core/base/config.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace caisson::http {

/// The server's public URL and the origins whose pages may use it: http.public_url, http.allowed_origins, http.trusted_proxies.
class origins {
public:
    /// `config` outlives this. Ignores values that app/config would refuse.
    explicit origins(const server_config& config);

    /// The base URL, without a final slash: http.public_url if set. Otherwise scheme and host come from X-Forwarded-Proto and
    /// X-Forwarded-Host of a trusted proxy, else from the server's own scheme and Host.
    std::string base(const net::request& from) const;

    /// True if the request may open a WebSocket: a page of this server's own origin or of an allowed one, or a program, which sends no
    /// Origin.
    bool may_open_socket(const net::request& from) const;

    /// True if a page of an allowed origin sent the request.
    bool is_allowed(const net::request& from) const;

    /// Adds the CORS fields of the answer to `from` (Fetch standard, "CORS protocol").
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

/// True for a CORS preflight request.
bool is_preflight(const net::request& from);

/// The answer to a preflight: `methods` and the fields that the API reads.
net::response preflight_answer(std::string methods);

}    // namespace caisson::http

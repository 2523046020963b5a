#pragma once

#include "adapters/net/percent.hpp"
#include "core/base/error.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace caisson::net {

/// An http://, https:// or unix:/// address without query or fragment.
struct url {
    std::string host;    // name or literal, IPv6 without brackets; "localhost" of a Unix socket
    std::uint16_t port = 80;
    std::string base_path = {};    // "" or "/prefix", never ending in '/'
    bool encrypted = false;
    std::string socket_path = {};    // of a Unix socket; else empty

    /// Errors: errc::bad_request, saying which part is wrong.
    static result<url> parse(std::string_view text);
    /// What the Host header holds: "localhost:8080", "[::1]:8080"; without the port if it is the scheme's own.
    std::string authority() const;
    std::string str() const;
};

}    // namespace caisson::net

#pragma once

#include "adapters/net/percent.hpp"
#include "core/base/error.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace caisson::net {

/// An http://, https:// or unix:// URL without query or fragment.
struct url {
    std::string host;    // name or literal, IPv6 without brackets; "localhost" for a Unix socket
    std::uint16_t port = 80;
    std::string base_path = {};    // "" or "/prefix", never ending in '/'
    bool encrypted = false;
    std::string socket_path = {};    // the absolute path of a Unix socket; else empty

    /// Errors: errc::bad_request, which names the faulty part.
    static result<url> parse(std::string_view text);
    /// The Host header's value: "localhost:8080", "[::1]:8080"; without the scheme's default port.
    std::string authority() const;
    std::string str() const;
};

}    // namespace caisson::net

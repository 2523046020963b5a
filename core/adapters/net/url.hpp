#pragma once

#include "core/adapters/net/percent.hpp"
#include "core/base/error.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace caisson::net {

/// An http:// address without query or fragment.
struct url {
    std::string host;    // name or literal, IPv6 without brackets
    std::uint16_t port = 80;
    std::string base_path = {};    // "" or "/prefix", never ending in '/'

    /// Errors: errc::bad_request, saying which part is wrong.
    static result<url> parse(std::string_view text);
    /// What the Host header holds: "localhost:8080", "[::1]:8080"; without the port if it is 80.
    std::string authority() const;
    std::string str() const;
};

}    // namespace caisson::net

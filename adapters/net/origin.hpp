#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace caisson::net {

/// The origin of a page (RFC 6454, section 6.2), one way of writing for each: "https://app.example", "http://localhost:3000". Letters of
/// the host become lower case, and the scheme's own port goes. Nothing if `text` is none with the scheme http or https: "null", a path,
/// "*".
std::optional<std::string> canonical_origin(std::string_view text);

/// The origin of an address with or without a path: "https://caisson.example" of "https://Caisson.example/prefix". Nothing if `url` is
/// none.
std::optional<std::string> origin_of(std::string_view url);

}    // namespace caisson::net

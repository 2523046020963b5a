#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace caisson::net {

/// Normalizes a page's origin (RFC 6454, section 6.2): "https://app.example", "http://localhost:3000". Lower-cases the host and
/// drops the scheme's default port. Nothing if `text` is not an http or https origin: "null", "*", or with a path.
std::optional<std::string> canonical_origin(std::string_view text);

/// The origin of a URL: "https://caisson.example" for "https://Caisson.example/prefix". Nothing if `url` is not an http or https URL.
std::optional<std::string> origin_of(std::string_view url);

}    // namespace caisson::net

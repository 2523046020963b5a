#include "adapters/net/origin.hpp"

#include "adapters/net/url.hpp"

#include <algorithm>

namespace caisson::net {

std::optional<std::string> canonical_origin(std::string_view text)
{
    const auto scheme_end = text.find("://");
    const bool has_path = scheme_end != std::string_view::npos && text.find('/', scheme_end + 3) != std::string_view::npos;
    return has_path ? std::nullopt : origin_of(text);
}

std::optional<std::string> origin_of(std::string_view address)
{
    auto parsed = url::parse(address);
    if (parsed.has_error() || !parsed->socket_path.empty())
        return std::nullopt;
    parsed->base_path.clear();
    std::ranges::transform(
        parsed->host, parsed->host.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return parsed->str();
}

}    // namespace caisson::net

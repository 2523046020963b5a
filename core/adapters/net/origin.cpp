#include "core/adapters/net/origin.hpp"

#include "core/adapters/net/url.hpp"

#include <algorithm>

namespace caisson::net {

std::optional<std::string> canonical_origin(std::string_view text)
{
    auto parsed = url::parse(text);
    if (parsed.has_error() || !parsed->socket_path.empty() || !parsed->base_path.empty() || text.ends_with('/'))
        return std::nullopt;
    std::ranges::transform(
        parsed->host, parsed->host.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return parsed->str();
}

}    // namespace caisson::net

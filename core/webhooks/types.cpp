#include "core/webhooks/types.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace caisson {

namespace {

constexpr std::array<std::pair<webhook_state, std::string_view>, 3> states{{
    {webhook_state::pending, "pending"},
    {webhook_state::delivered, "delivered"},
    {webhook_state::failed, "failed"},
}};

error bad(std::string why) { return {errc::bad_request, std::move(why)}; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_visible(char c) { return c > ' ' && c < 127; }
bool is_name_char(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || c == '.' || c == '-' || c == '_'; }
bool is_v6_char(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || c == ':' || c == '.'; }

/// True for four decimal numbers from 0 to 255, without leading zeros.
bool is_plain_v4(std::string_view host)
{
    for (int i = 0; i < 4; ++i) {
        const auto dot = host.find('.');
        const auto part = host.substr(0, dot);
        int value = 256;
        std::from_chars(part.data(), part.data() + part.size(), value);
        const bool last = dot == std::string_view::npos;
        if (part.empty() || part.size() > 3 || (part.size() > 1 && part[0] == '0') || !std::ranges::all_of(part, is_digit) || value > 255 ||
            last != (i == 3))
            return false;
        host.remove_prefix(last ? host.size() : dot + 1);
    }
    return true;
}

/// True if the last label looks like a number; resolvers may read such hosts as IPv4 addresses.
bool ends_in_number(std::string_view host)
{
    if (host.ends_with('.'))
        host.remove_suffix(1);
    const auto label = host.substr(host.rfind('.') + 1);
    return label.starts_with("0x") || std::ranges::all_of(label, is_digit);
}

bool is_host(std::string_view host)
{
    return !host.empty() && host.size() <= 253 && std::ranges::all_of(host, is_name_char) && host.front() != '.' &&
           host.find("..") == std::string_view::npos && (is_plain_v4(host) || !ends_in_number(host));
}

/// Removes the host from `authority`; the rest is empty or a colon and the port.
result<std::string> take_host(std::string_view& authority)
{
    const bool bracketed = authority.starts_with('[');
    const auto end = std::min(bracketed ? authority.find(']') : authority.find(':'), authority.size());
    std::string host(authority.substr(bracketed ? 1 : 0, end - (bracketed ? 1 : 0)));
    std::ranges::transform(host, host.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    const bool good =
        bracketed ? end < authority.size() && host.find(':') != std::string::npos && std::ranges::all_of(host, is_v6_char) : is_host(host);
    if (!good)
        return bad("has no valid host");
    authority.remove_prefix(end + (bracketed ? 1 : 0));
    return host;
}

result<std::uint16_t> port_of(std::string_view text, bool encrypted)
{
    if (text.empty())
        return static_cast<std::uint16_t>(encrypted ? 443 : 80);
    std::uint16_t port = 0;
    const auto* const end = text.data() + text.size();
    const auto [stopped, failed] = std::from_chars(text.data() + 1, end, port);
    if (text[0] != ':' || failed != std::errc() || stopped != end || port == 0)
        return bad("has a port that is not from 1 to 65535");
    return port;
}

}    // namespace

result<webhook_url> parse_webhook_url(std::string_view text)
{
    if (text.size() > max_webhook_url_bytes)
        return bad("is longer than " + std::to_string(max_webhook_url_bytes) + " bytes");
    webhook_url out;
    out.encrypted = text.starts_with("https://");
    if (!out.encrypted && !text.starts_with("http://"))
        return bad("must begin with http:// or https://");
    if (!std::ranges::all_of(text, is_visible))
        return bad("holds a space, a control character or one outside ASCII; percent-encode it");
    if (text.find('#') != std::string_view::npos)
        return bad("has a fragment, which is never sent");
    text.remove_prefix(out.encrypted ? 8 : 7);
    const auto end = std::min(text.find_first_of("/?"), text.size());
    auto authority = text.substr(0, end);
    if (authority.find('@') != std::string_view::npos)
        return bad("must not hold a user or a password");
    out.target = text.substr(end);
    if (!out.target.starts_with('/'))
        out.target.insert(0, 1, '/');
    auto host = take_host(authority);
    if (host.has_error())
        return host.error();
    const auto port = port_of(authority, out.encrypted);
    if (port.has_error())
        return port.error();
    out.host = std::move(*host);
    out.port = *port;
    return out;
}

std::string_view to_string(webhook_state value) { return std::ranges::find(states, value, &decltype(states)::value_type::first)->second; }

std::optional<webhook_state> webhook_state_from(std::string_view text)
{
    const auto* const found = std::ranges::find(states, text, &decltype(states)::value_type::second);
    return found == states.end() ? std::nullopt : std::optional(found->first);
}

delivery_id delivery_of(const execution_id& execution)
{
    return delivery_id::from_trusted(std::string(delivery_tag::prefix) + std::string(execution.str()).substr(execution_tag::prefix.size()));
}

}    // namespace caisson

#include "adapters/net/url.hpp"

#include <charconv>

namespace caisson::net {

namespace {

error bad_address(std::string_view text, std::string_view why)
{
    return error{errc::bad_request, "'" + std::string(text) + "' is not an address such as http://127.0.0.1:8080: " + std::string(why)};
}

bool is_host_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
}

bool is_ipv6_char(char c) { return (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || (c >= '0' && c <= '9') || c == '.' || c == ':'; }

template <class Predicate>
bool all_of(std::string_view text, Predicate is_right)
{
    for (const char c : text) {
        if (!is_right(c))
            return false;
    }
    return !text.empty();
}

std::uint16_t default_port(const url& of) { return of.encrypted ? 443 : 80; }

result<url> parse_local(std::string_view text, std::string_view path)
{
    constexpr std::size_t most_bytes = 107;    // sockaddr_un::sun_path without its NUL
    if (!path.starts_with('/') || path.size() > most_bytes || path.find('\0') != std::string_view::npos)
        return bad_address(text, "after unix:// an absolute path of at most 107 bytes must follow");
    return url{.host = "localhost", .socket_path = std::string(path)};
}

}    // namespace

result<url> url::parse(std::string_view text)
{
    constexpr std::string_view local = "unix://";
    if (text.starts_with(local))
        return parse_local(text, text.substr(local.size()));
    url out;
    out.encrypted = text.starts_with("https://");
    const std::string_view scheme = out.encrypted ? "https://" : "http://";
    if (!text.starts_with(scheme))
        return bad_address(text, "it does not begin with http:// or https://");
    out.port = default_port(out);
    const auto slash = text.find('/', scheme.size());
    auto authority = text.substr(scheme.size(), slash - scheme.size());
    if (slash != std::string_view::npos)
        out.base_path = text.substr(slash);
    while (out.base_path.ends_with('/'))
        out.base_path.pop_back();
    if (!all_of(out.base_path + "/", [](char c) { return c > ' ' && c < 127 && c != '?' && c != '#'; }))
        return bad_address(text, "the path holds a space, a query or a fragment");

    const bool bracketed = authority.starts_with('[');
    const auto host_end = bracketed ? authority.find(']') : authority.find(':');
    if (bracketed && host_end == std::string_view::npos)
        return bad_address(text, "the ']' is missing");
    out.host = bracketed ? authority.substr(1, host_end - 1) : authority.substr(0, host_end);
    if (!(bracketed ? all_of(out.host, is_ipv6_char) : all_of(out.host, is_host_char)))
        return bad_address(text, "the host is missing or malformed");
    auto port = host_end == std::string_view::npos ? std::string_view() : authority.substr(host_end + (bracketed ? 1 : 0));
    if (port.empty())
        return out;
    const auto* last = port.data() + port.size();
    const auto parsed = std::from_chars(port.data() + 1, last, out.port);
    if (port[0] != ':' || parsed.ec != std::errc() || parsed.ptr != last || out.port == 0)
        return bad_address(text, "the port is not a number from 1 to 65535");
    return out;
}

std::string url::authority() const
{
    const auto name = host.find(':') == std::string::npos ? host : "[" + host + "]";
    return port == default_port(*this) ? name : name + ":" + std::to_string(port);
}

std::string url::str() const
{
    if (!socket_path.empty())
        return "unix://" + socket_path;
    return (encrypted ? "https://" : "http://") + authority() + base_path;
}

}    // namespace caisson::net

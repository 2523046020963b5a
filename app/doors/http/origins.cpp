#include "app/doors/http/origins.hpp"

#include "adapters/net/origin.hpp"

#include <algorithm>

namespace caisson::http {

namespace {

/// Fields of an answer that a page may read.
constexpr const char* shown_fields = "Accept-Ranges, Allow, Content-Disposition, Content-Range, ETag, Idempotency-Replayed, Link, "
                                     "Location, Retry-After, WWW-Authenticate, X-Checkpoint-Id, X-Next-Cursor, X-Request-Id";
constexpr const char* taken_fields =
    "Accept, Authorization, Content-Type, Idempotency-Key, If-None-Match, If-Range, Last-Event-ID, Prefer, Range, X-API-Key, X-Request-Id, "
    "X-Tenant-ID";
constexpr const char* preflight_seconds = "600";

/// True for the characters of a Host: a name or an address, and a port.
bool is_authority(std::string_view text)
{
    constexpr std::size_t longest = 256;
    return !text.empty() && text.size() <= longest &&
           text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]") == std::string_view::npos;
}

/// The last element, which the nearest proxy wrote.
std::string_view last_of(std::string_view list)
{
    const auto comma = list.rfind(',');
    return net::trimmed(comma == std::string_view::npos ? list : list.substr(comma + 1));
}

/// "https://" of "https://host"; empty if there is none.
std::string_view scheme_of(std::string_view origin)
{
    const auto end = origin.find("://");
    return end == std::string_view::npos ? std::string_view() : origin.substr(0, end + 3);
}

}    // namespace

origins::origins(const server_config& config) : config_(config), public_origin_(net::origin_of(config.http.public_url))
{
    for (const auto& each : config.http.allowed_origins)
        if (auto origin = net::canonical_origin(each))
            allowed_.insert(std::move(*origin));
    for (const auto& each : config.http.trusted_proxies)
        if (const auto range = net::address_range::parse(each))
            proxies_.push_back(*range);
}

std::string origins::scheme() const { return config_.http.tls.certificate.empty() ? "http://" : "https://"; }

/// The value of `field` from a trusted proxy; empty if the peer is no such proxy, or it did not send the field.
std::optional<std::string_view> origins::forwarded(const net::request& from, std::string_view field) const
{
    if (proxies_.empty())
        return std::nullopt;
    std::optional<std::string_view> last;
    for (const auto& [name, value] : from.fields)
        if (net::equal_no_case(name, field))
            last = last_of(value);
    const bool is_trusted = last && std::ranges::any_of(proxies_, [&](const auto& range) { return range.holds(from.peer); });
    return is_trusted ? last : std::nullopt;
}

std::string origins::base(const net::request& from) const
{
    if (!config_.http.public_url.empty())
        return config_.http.public_url;
    const auto proto = forwarded(from, "X-Forwarded-Proto");
    const auto with = proto && net::equal_no_case(*proto, "https")  ? "https://"
                      : proto && net::equal_no_case(*proto, "http") ? "http://"
                                                                    : scheme();
    if (const auto host = forwarded(from, "X-Forwarded-Host"); host && is_authority(*host))
        return with + std::string(*host);
    if (const auto host = from.fields.find("Host"); host && is_authority(*host))
        return with + std::string(*host);
    return with + config_.listen_host + ":" + std::to_string(config_.listen_port);
}

/// The server's own origin as a page with `scheme` sees it. If the server speaks no TLS and no proxy reports the scheme, TLS may end in
/// front.
std::optional<std::string> origins::own_origin(const net::request& from, std::string_view scheme) const
{
    if (public_origin_)
        return public_origin_;
    auto own = base(from);
    if (config_.http.tls.certificate.empty() && !forwarded(from, "X-Forwarded-Proto"))
        own = std::string(scheme) + own.substr(scheme_of(own).size());
    return net::canonical_origin(own);
}

bool origins::may_open_socket(const net::request& from) const
{
    const auto origin = from.fields.find("Origin");
    if (!origin)
        return true;
    const auto asking = net::canonical_origin(*origin);
    return asking && from.fields.count("Origin") == 1 && (allowed_.contains(*asking) || own_origin(from, scheme_of(*origin)) == asking);
}

bool origins::is_allowed(const net::request& from) const
{
    const auto origin = allowed_.empty() ? std::nullopt : from.fields.find("Origin");
    const auto asking = origin && from.fields.count("Origin") == 1 ? net::canonical_origin(*origin) : std::nullopt;
    return asking && allowed_.contains(*asking);
}

void origins::tell(const net::request& from, net::headers& answer) const
{
    if (allowed_.empty())
        return;
    answer.add("Vary", "Origin");
    if (!is_allowed(from))
        return;
    answer.set("Access-Control-Allow-Origin", std::string(*from.fields.find("Origin")));
    answer.set("Access-Control-Expose-Headers", shown_fields);
}

bool is_preflight(const net::request& from)
{
    return from.method == "OPTIONS" && from.fields.contains("Origin") && from.fields.contains("Access-Control-Request-Method");
}

net::response preflight_answer(std::string methods)
{
    net::response answer;
    answer.status = 204;
    answer.fields.set("Access-Control-Allow-Methods", std::move(methods));
    answer.fields.set("Access-Control-Allow-Headers", taken_fields);
    answer.fields.set("Access-Control-Max-Age", preflight_seconds);
    return answer;
}

}    // namespace caisson::http

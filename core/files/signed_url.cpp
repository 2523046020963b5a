#include "core/files/signed_url.hpp"

#include "core/base/base64.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace caisson {

namespace {

constexpr std::array<std::string_view, 4> parameters{"tenant", "expires", "key", "signature"};
constexpr std::size_t longest_value = 128;
constexpr std::int64_t farthest_second = std::int64_t{1} << 40;

/// The value of `name`; null if it is missing, given twice or too long.
const std::string* only(const query_pairs& query, std::string_view name)
{
    const auto is_it = [name](const auto& each) { return each.first == name; };
    const auto found = std::ranges::find_if(query, is_it);
    return found != query.end() && std::ranges::count_if(query, is_it) == 1 && found->second.size() <= longest_value ? &found->second
                                                                                                                     : nullptr;
}

std::optional<std::int64_t> number_of(const std::string& text)
{
    std::int64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = failure == std::errc{} && end == text.data() + text.size();
    if (!whole || value < 0 || value > farthest_second || std::to_string(value) != text)
        return std::nullopt;
    return value;
}

/// The text to sign. Only its last part can hold a line break.
std::string signed_text(std::string_view resource, const signed_grant& grant)
{
    return "caisson-url-1\nGET\n" + grant.tenant.str() + "\n" + std::to_string(grant.expires_at_ms) + "\n" + std::to_string(grant.key) +
           "\n" + std::string(resource);
}

bool equal_in_constant_time(std::string_view a, std::string_view b)
{
    unsigned char differs = a.size() == b.size() ? 0 : 1;
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i)
        differs = static_cast<unsigned char>(differs | (a[i] ^ b[i]));
    return differs == 0;
}

}    // namespace

std::span<const std::string_view> grant_parameters() { return parameters; }

bool has_grant(const query_pairs& query)
{
    return std::ranges::any_of(query, [](const auto& each) { return each.first == "signature"; });
}

std::optional<signed_grant> parse_grant(const query_pairs& query)
{
    const auto* tenant = only(query, "tenant");
    const auto* expires = only(query, "expires");
    const auto* key = only(query, "key");
    const auto* signature = only(query, "signature");
    if (tenant == nullptr || expires == nullptr || key == nullptr || signature == nullptr)
        return std::nullopt;
    const auto tenant_named = tenant_id::parse(*tenant);
    const auto second = number_of(*expires);
    const auto key_number = number_of(*key);
    auto bytes = base64url_decode(*signature);
    if (!tenant_named || !second || !key_number || !bytes)
        return std::nullopt;
    return signed_grant{*tenant_named, *second * 1'000, *key_number, std::move(*bytes)};
}

std::string grant_query(const signed_grant& grant)
{
    return "tenant=" + grant.tenant.str() + "&expires=" + std::to_string(grant.expires_at_ms / 1'000) +
           "&key=" + std::to_string(grant.key) + "&signature=" + base64url_encode(grant.signature);
}

signed_grant sign(const signing_key& key, mac_function mac, std::string_view resource, tenant_id tenant, std::int64_t until_ms)
{
    signed_grant grant{std::move(tenant), until_ms / 1'000 * 1'000, key.id, {}};
    grant.signature = mac(key.secret, signed_text(resource, grant));
    return grant;
}

bool is_signed_by(const signing_key& key, mac_function mac, std::string_view resource, const signed_grant& grant)
{
    return key.id == grant.key && equal_in_constant_time(mac(key.secret, signed_text(resource, grant)), grant.signature);
}

}    // namespace caisson

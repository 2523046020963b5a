#pragma once

#include "core/base/ids.hpp"
#include "core/files/ports.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace caisson {

/// HMAC-SHA-256: key and text in, 32 raw bytes out.
using mac_function = std::string (*)(std::string_view key, std::string_view text);

/// Right to one GET (or HEAD) of one resource of one tenant until a moment, for whoever holds the address.
struct signed_grant {
    tenant_id tenant;
    std::int64_t expires_at_ms = 0;
    std::int64_t key = 0;    // signing_key::id
    std::string signature;
};

/// The parameters of a query, decoded.
using query_pairs = std::vector<std::pair<std::string, std::string>>;

/// The names of a grant's parameters: tenant, expires, key, signature.
std::span<const std::string_view> grant_parameters();
/// True if a query claims to be signed, well or not.
bool has_grant(const query_pairs& query);
/// Nothing if a parameter is missing, given twice or malformed.
std::optional<signed_grant> parse_grant(const query_pairs& query);
/// "tenant=…&expires=…&key=…&signature=…", fit for a URL as it is.
std::string grant_query(const signed_grant& grant);

/// `resource` is the decoded path: "/v1/executions/exe_…/artifacts/a b.txt". `until_ms` is cut down to whole seconds.
signed_grant sign(const signing_key& key, mac_function mac, std::string_view resource, tenant_id tenant, std::int64_t until_ms);
/// Whether `key` made the grant for `resource`, whatever the time is; takes as long wherever the signature differs.
bool is_signed_by(const signing_key& key, mac_function mac, std::string_view resource, const signed_grant& grant);

}    // namespace caisson

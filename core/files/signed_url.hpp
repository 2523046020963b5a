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

/// The right to GET (or HEAD) one resource of one tenant until a moment. Whoever holds the address has it.
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
/// True if a query has a signature, valid or not.
bool has_grant(const query_pairs& query);
/// The grant in `query`; nothing if a parameter is missing, given twice or malformed.
std::optional<signed_grant> parse_grant(const query_pairs& query);
/// "tenant=…&expires=…&key=…&signature=…", needs no further URL encoding.
std::string grant_query(const signed_grant& grant);

/// `resource` is the decoded path: "/v1/executions/exe_…/artifacts/a b.txt". `until_ms` is rounded down to whole seconds.
signed_grant sign(const signing_key& key, mac_function mac, std::string_view resource, tenant_id tenant, std::int64_t until_ms);
/// Whether `key` signed the grant for `resource`. Does not check the expiry. Compares the signature in constant time.
bool is_signed_by(const signing_key& key, mac_function mac, std::string_view resource, const signed_grant& grant);

}    // namespace caisson

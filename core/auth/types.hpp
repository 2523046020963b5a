#pragma once

#include "core/base/ids.hpp"
#include "core/base/secret.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace caisson {

/// A permission of a key. `admin` implies the others and reaches all tenants' keys.
enum class scope { run, read, admin };

/// The sender of a request, as resolved from a valid key.
struct principal {
    tenant_id tenant;
    std::string tenant_name;
    key_id key;
    std::vector<scope> scopes;
};

/// A stored key. It has only a hash of the key's text.
struct api_key_row {
    key_id id;
    tenant_id tenant;
    std::string tenant_name;
    std::string hash;    // SHA-256 of the key's text, lower-case hex
    std::string hint;    // the text's last 4 characters, to tell keys apart in a list
    std::vector<scope> scopes;
    std::int64_t created_at_ms = 0;
    std::optional<std::int64_t> expires_at_ms;
    std::optional<std::int64_t> last_used_at_ms;
    std::optional<std::int64_t> revoked_at_ms;
};

/// 1 to 64 letters, digits, '.', '_' or '-'.
bool is_tenant_name(std::string_view name);

std::string_view to_string(scope value);
std::optional<scope> scope_from(std::string_view text);

}    // namespace caisson

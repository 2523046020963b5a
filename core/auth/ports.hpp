#pragma once

#include "core/async/task.hpp"
#include "core/auth/types.hpp"
#include "core/base/error.hpp"

namespace caisson {

/// Tenants and their keys. Call from the I/O thread; the work runs on the store's own database threads.
class key_store {
public:
    virtual ~key_store() = default;

    /// The tenant's id, made (as `fresh`) if no tenant has this name.
    virtual task<result<tenant_id>> ensure_tenant(std::string name, tenant_id fresh, std::int64_t now_ms) = 0;
    /// Adds a key. Errors: errc::conflict if the id or the hash exists, errc::not_found if the tenant does not.
    virtual task<result<void>> insert_key(api_key_row row) = 0;
    /// The key with this hash, revoked and expired ones too. Errors: errc::not_found.
    virtual task<result<api_key_row>> find_key(std::string hash) = 0;
    /// The same of the key with this id.
    virtual task<result<api_key_row>> find_key_by_id(key_id id) = 0;
    /// All keys, or those of one tenant by name, oldest first.
    virtual task<result<std::vector<api_key_row>>> list_keys(std::optional<std::string> tenant_name) = 0;
    /// How many tenants have a key that is good at `now_ms`, counted up to `most`.
    virtual task<result<std::size_t>> count_tenants(std::int64_t now_ms, std::size_t most) = 0;
    /// Ends a key. Idempotent. Errors: errc::not_found.
    virtual task<result<void>> revoke_key(key_id id, std::int64_t now_ms) = 0;
    /// Notes a use. Not durable at once.
    virtual task<result<void>> touch_key(key_id id, std::int64_t now_ms) = 0;
};

/// SHA-256 of `text` in lower-case hex.
using digest_function = std::string (*)(std::string_view text);

}    // namespace caisson

#pragma once

#include "core/async/task.hpp"
#include "core/auth/types.hpp"
#include "core/base/error.hpp"

namespace caisson {

/// Tenants and their keys. Call from the I/O thread; the work runs on the store's own database threads.
class key_store {
public:
    virtual ~key_store() = default;

    /// The id of the tenant `name`. Creates the tenant with the id `fresh` if no tenant has this name.
    virtual task<result<tenant_id>> ensure_tenant(std::string name, tenant_id fresh, std::int64_t now_ms) = 0;
    /// Adds a key. Errors: errc::conflict if the id or the hash exists, errc::not_found if the tenant does not.
    virtual task<result<void>> insert_key(api_key_row row) = 0;
    /// The key with this hash, also if revoked or expired. Errors: errc::not_found.
    virtual task<result<api_key_row>> find_key(std::string hash) = 0;
    /// The key with this id, also if revoked or expired. Errors: errc::not_found.
    virtual task<result<api_key_row>> find_key_by_id(key_id id) = 0;
    /// All keys, or those of one tenant by name, oldest first.
    virtual task<result<std::vector<api_key_row>>> list_keys(std::optional<std::string> tenant_name) = 0;
    /// The number of tenants with a valid key at `now_ms`, counted up to `most`.
    virtual task<result<std::size_t>> count_tenants(std::int64_t now_ms, std::size_t most) = 0;
    /// Idempotent. Errors: errc::not_found.
    virtual task<result<void>> revoke_key(key_id id, std::int64_t now_ms) = 0;
    /// Stores the time of a use. Not durable at once.
    virtual task<result<void>> touch_key(key_id id, std::int64_t now_ms) = 0;
};

/// SHA-256 of `text` in lower-case hex.
using digest_function = std::string (*)(std::string_view text);

}    // namespace caisson

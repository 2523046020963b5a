#pragma once

#include "core/auth/ports.hpp"
#include "core/auth/scopes.hpp"
#include "core/base/clock.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace caisson {

/// A new key with its text, which is not stored.
struct issued_key {
    api_key_row row;
    secret text;
};

struct auth_options {
    std::chrono::milliseconds cache_lifetime{5'000};     // another process's revocation takes effect after this at most
    std::chrono::milliseconds touch_interval{60'000};    // a key's last use is stored this often at most
    std::size_t max_cached = 1'024;
};

/// Issues keys and resolves a presented key to its principal. I/O thread only.
class auth_service {
public:
    /// `keys` and `time` must outlive the service.
    auth_service(key_store& keys, const clock& time, digest_function digest, auth_options options = {});

    /// The principal of the key `presented`. Errors: errc::unauthorized if the key is malformed, unknown, expired or revoked; the message
    /// does not tell malformed from unknown.
    task<result<principal>> authenticate(std::string presented);

    /// Makes a key, and its tenant if no tenant has that name. `expires_at_ms` is Unix time. Errors: errc::bad_request for
    /// a name that is not 1 to 64 of [A-Za-z0-9._-], for empty scopes, or for an expiry in the past.
    task<result<issued_key>> create_key(std::string tenant_name, std::vector<scope> scopes, std::optional<std::int64_t> expires_at_ms);

    /// All keys, or those of one tenant by name, oldest first.
    task<result<std::vector<api_key_row>>> list_keys(std::optional<std::string> tenant_name);

    /// Whether a key exists and is neither revoked nor expired. Asks the store each time: do not call per request. Errors: the store's.
    task<result<bool>> is_in_force(key_id id);

    /// Revokes a key; this service refuses it at once. Idempotent. Errors: errc::not_found.
    task<result<void>> revoke_key(key_id id);

    /// As create_key(), with a `text` from make_key_text().
    task<result<issued_key>> adopt_key(
        secret text, std::string tenant_name, std::vector<scope> scopes, std::optional<std::int64_t> expires_at_ms);

    /// True if the store knows a key with this text, valid or not.
    task<result<bool>> knows(secret text);

private:
    struct entry {
        api_key_row row;
        steady_time read_at;
        std::int64_t touched_at_ms = 0;
    };
    /// The cached key; null if it is missing or older than cache_lifetime. Valid until the next suspension.
    const entry* remembered(const std::string& hash) const;
    bool is_use_due(const entry& of, std::int64_t now_ms) const;
    task<result<api_key_row>> find(std::string hash);
    task<> note_use(std::string hash, key_id id);
    void make_room();

    key_store& keys_;
    const clock& time_;
    digest_function digest_;
    auth_options options_;
    id_factory ids_;
    std::unordered_map<std::string, entry> cache_;    // by hash
    std::uint64_t revocations_ = 0;                   // made by this service
};

/// The tenant of the first key.
inline constexpr std::string_view default_tenant_name = "default";

}    // namespace caisson

#pragma once

#include "core/async/timers.hpp"
#include "core/base/log.hpp"
#include "core/files/signed_url.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace caisson {

struct url_signer_options {
    std::chrono::milliseconds lifetime{std::chrono::hours(1)};    // of a signed address
    std::chrono::milliseconds rotate_every{std::chrono::hours(24)};
    std::chrono::milliseconds retry_after{std::chrono::minutes(1)};    // after a failed rotation
};

/// Signs addresses of files with a key that rotates daily, and checks them. Keys survive restarts; a retired key is kept until the
/// last address that it signed has expired. I/O thread.
class url_signer {
public:
    /// All references must outlive it.
    url_signer(signing_key_store& keys, const clock& time, logger& log, mac_function mac, url_signer_options options = {});

    /// The key that signs now; call once per response. Rotates the key if due; if that fails, the old key stays in use. Errors and
    /// exceptions: the store's, if no key is known yet.
    task<result<signing_key>> current();
    /// A grant signed with `key`, valid for the lifetime from now.
    signed_grant grant(const signing_key& key, std::string_view resource, tenant_id tenant) const;

    /// The tenant of a valid grant for `resource`. Errors: errc::forbidden, with what to do, if the grant is malformed, expired, or not
    /// signed by this server for `resource`.
    task<result<tenant_id>> check(std::string resource, query_pairs query);

private:
    task<result<void>> reload();
    task<result<void>> rotate();
    task<> rotate_if_due();
    bool is_due(const signing_key& key) const;
    const signing_key* find(std::int64_t id) const;

    signing_key_store& store_;
    const clock& time_;
    logger& log_;
    mac_function mac_;
    url_signer_options options_;
    std::vector<signing_key> known_;
    std::int64_t current_ = 0;    // the id of the current key; 0: unknown
    bool rotating_ = false;
    std::optional<std::int64_t> failed_at_ms_;    // the last failed rotation
};

}    // namespace caisson

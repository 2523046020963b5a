#pragma once

#include "core/base/error.hpp"
#include "core/base/ids.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace caisson {

inline constexpr std::size_t max_webhook_url_bytes = 2'048;
inline constexpr std::size_t min_webhook_secret_bytes = 16;
inline constexpr std::size_t max_webhook_secret_bytes = 256;

/// The address of a receiver.
struct webhook_url {
    bool encrypted = false;    // https
    std::string host;          // lower case; a name, or a literal without brackets
    std::uint16_t port = 80;
    std::string target;    // "/path?query"

    /// What one receiver is bounded by: "example.com:443".
    std::string receiver() const { return host + ":" + std::to_string(port); }
};

/// http or https, at most max_webhook_url_bytes, without user, password and fragment. A host that some resolvers read as a number in
/// another form ("127.1", "0x7f000001") is refused. Errors: errc::bad_request, a phrase to follow the field's name.
result<webhook_url> parse_webhook_url(std::string_view text);

enum class webhook_state {
    pending,      // its execution has not ended, or a later attempt follows
    delivered,    // the receiver answered 2xx
    failed,       // no attempt follows
};

std::string_view to_string(webhook_state value);
std::optional<webhook_state> webhook_state_from(std::string_view text);

/// How far the delivery of an execution's end has come.
struct webhook_status {
    std::string url;
    webhook_state state = webhook_state::pending;
    int attempts = 0;    // made
    std::optional<int> last_status;
    std::string last_error;                            // a sentence; empty if there is none
    std::optional<std::int64_t> next_attempt_at_ms;    // once the execution has ended, while it is pending
    bool operator==(const webhook_status&) const = default;
};

/// A delivery whose time has come.
struct webhook_job {
    execution_id execution;
    tenant_id tenant;
    std::string receiver;
    std::string secret;
    webhook_status status;
};

/// The same for all attempts: the execution's id with a prefix of its own.
delivery_id delivery_of(const execution_id& execution);

}    // namespace caisson

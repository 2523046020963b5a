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

/// A parsed webhook URL.
struct webhook_url {
    bool encrypted = false;    // https
    std::string host;          // lower case; a name, or a literal without brackets
    std::uint16_t port = 80;
    std::string target;    // "/path?query"

    /// The key of the per-receiver limit: "example.com:443".
    std::string receiver() const { return host + ":" + std::to_string(port); }
};

/// Parses an http or https URL of at most max_webhook_url_bytes, without user, password and fragment. Refuses hosts that some resolvers
/// read as IPv4 addresses ("127.1", "0x7f000001"). Errors: errc::bad_request, with a phrase that follows the field's name.
result<webhook_url> parse_webhook_url(std::string_view text);

enum class webhook_state {
    pending,      // the execution has not ended, or another attempt follows
    delivered,    // the receiver answered 2xx
    failed,       // given up
};

std::string_view to_string(webhook_state value);
std::optional<webhook_state> webhook_state_from(std::string_view text);

/// The progress of a delivery.
struct webhook_status {
    std::string url;
    webhook_state state = webhook_state::pending;
    int attempts = 0;    // made
    std::optional<int> last_status;
    std::string last_error;                            // a sentence; empty: none
    std::optional<std::int64_t> next_attempt_at_ms;    // set while pending, once the execution has ended
    bool operator==(const webhook_status&) const = default;
};

/// A due delivery.
struct webhook_job {
    execution_id execution;
    tenant_id tenant;
    std::string receiver;
    std::string secret;
    webhook_status status;
};

/// The message id, equal for all attempts: the execution's id with another prefix.
delivery_id delivery_of(const execution_id& execution);

}    // namespace caisson

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace caisson {

/// HMAC-SHA-256, raw; implemented in adapters/crypto.
using hmac_function = std::string (*)(std::string_view key, std::string_view bytes);

/// The header fields of the Standard Webhooks specification, by which a receiver verifies a message: webhook-id, webhook-timestamp (Unix
/// seconds) and webhook-signature. The key is `secret`, or its decoded part if it is "whsec_" and base64.
std::vector<std::pair<std::string, std::string>> signed_fields(
    std::string_view id, std::int64_t at_s, std::string_view body, std::string_view secret, hmac_function hmac);

}    // namespace caisson

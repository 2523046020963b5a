#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace caisson {

/// HMAC-SHA-256, raw; adapters/crypto has it.
using hmac_function = std::string (*)(std::string_view key, std::string_view bytes);

/// The three fields by which a receiver verifies a message, as the Standard Webhooks specification has them: webhook-id,
/// webhook-timestamp (Unix seconds) and webhook-signature. The key is `secret` as it is; of one that is "whsec_" and base64 it is what
/// that decodes to.
std::vector<std::pair<std::string, std::string>> signed_fields(
    std::string_view id, std::int64_t at_s, std::string_view body, std::string_view secret, hmac_function hmac);

}    // namespace caisson

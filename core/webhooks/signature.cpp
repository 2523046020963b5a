#include "core/webhooks/signature.hpp"

#include "core/base/base64.hpp"

namespace caisson {

namespace {

std::string key_of(std::string_view secret)
{
    constexpr std::string_view prefix = "whsec_";
    if (secret.starts_with(prefix))
        if (auto decoded = base64_decode(secret.substr(prefix.size())))
            return std::move(*decoded);
    return std::string(secret);
}

}    // namespace

std::vector<std::pair<std::string, std::string>> signed_fields(
    std::string_view id, std::int64_t at_s, std::string_view body, std::string_view secret, hmac_function hmac)
{
    const auto timestamp = std::to_string(at_s);
    std::string content;
    content.append(id).append(".").append(timestamp).append(".").append(body);
    return {{"webhook-id", std::string(id)}, {"webhook-timestamp", timestamp},
        {"webhook-signature", "v1," + base64_encode(hmac(key_of(secret), content))}};
}

}    // namespace caisson

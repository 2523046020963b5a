#include "core/webhooks/signature.hpp"

#include "adapters/crypto/digest.hpp"

#include <gtest/gtest.h>

namespace caisson {
namespace {

struct signature_case {
    std::string_view name;
    std::string_view id;
    std::int64_t at_s;
    std::string_view body;
    std::string_view secret;
    std::string_view want;
};
class WebhookSignature : public ::testing::TestWithParam<signature_case> { };
TEST_P(WebhookSignature, IsThatOfTheSpecification)
{
    const auto& c = GetParam();
    const auto got = signed_fields(c.id, c.at_s, c.body, c.secret, &hmac_sha256);
    ASSERT_EQ(got.size(), 3u);
    EXPECT_EQ(got[0], (std::pair<std::string, std::string>("webhook-id", c.id)));
    EXPECT_EQ(got[1], (std::pair<std::string, std::string>("webhook-timestamp", std::to_string(c.at_s))));
    EXPECT_EQ(got[2].first, "webhook-signature");
    EXPECT_EQ(got[2].second, c.want);
}
// The first is the example of the Standard Webhooks libraries, the others are openssl's.
INSTANTIATE_TEST_SUITE_P(Cases, WebhookSignature,
    ::testing::Values(signature_case{"standard", "msg_p5jXN8AQM9LWM0D4loKWxJek", 1'614'265'330, R"({"test": 2432232314})",
                          "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="},
        signature_case{"plain_secret", "dlv_1", 1'700'000'000, "{}", "0123456789abcdef", "v1,A4TCnxHjzlipJ1vVgeoo+CuBX6qMZWgIWjkPkajorUg="},
        signature_case{"not_base64", "dlv_1", 1'700'000'000, "{}", "whsec_0123456789!", "v1,+8EsmN6nOAoual3rHCH4NsK+zQalDLmvzTU20jvuHeg="}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace
}    // namespace caisson

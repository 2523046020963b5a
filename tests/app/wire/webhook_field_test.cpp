#include "app/wire/webhook_field.hpp"

#include "tests/app/wire/wire_fixture.hpp"

#include <gmock/gmock.h>

namespace caisson::wire {
namespace {

struct field_case {
    std::string_view name;
    std::string webhook;
    std::string want;    // what is told; empty: taken
    bool private_ones = false;
};
class WebhookField : public ::testing::TestWithParam<field_case> { };
TEST_P(WebhookField, IsChecked)
{
    const auto& c = GetParam();
    const wire_fixture server;
    auto context = server.context();
    context.private_webhooks = c.private_ones;
    const auto got = parse_execution_request(R"({"command":["a"],"webhook":)" + c.webhook + "}", context);
    EXPECT_EQ(got.has_error() ? told(got.error()) : "", c.want);
    if (got.has_value())
        EXPECT_TRUE(got->spec.webhook.has_value());
}
const std::string secret = R"("secret":"0123456789abcdef")";
const std::string closed = "bad_request: webhook.url names an address that is not on the public internet; "
                           "this server sends none there (webhooks.allow_private)";
INSTANTIATE_TEST_SUITE_P(Cases, WebhookField,
    ::testing::Values(field_case{"good", R"({"url":"https://example.com/x?y",)" + secret + "}", ""},
        field_case{"longest_secret", R"({"url":"https://example.com/","secret":")" + std::string(256, 'x') + R"("})", ""},
        field_case{"private_where_allowed", R"({"url":"http://127.0.0.1:9/",)" + secret + "}", "", true},
        field_case{"loopback", R"({"url":"http://127.0.0.1:9/",)" + secret + "}", closed},
        field_case{"v6_loopback", R"({"url":"http://[::1]/",)" + secret + "}", closed},
        field_case{"metadata", R"({"url":"http://169.254.169.254/latest",)" + secret + "}", closed},
        field_case{"localhost", R"({"url":"http://LOCALHOST/",)" + secret + "}", closed},
        field_case{"number", R"({"url":"http://2130706433/",)" + secret + "}", "bad_request: webhook.url has no valid host", true},
        field_case{"nothing", "{}", "bad_request: webhook.url is required; webhook.secret is required: what is sent is signed with it"},
        field_case{"no_object", R"("http://a/")", "bad_request: webhook must be an object"},
        field_case{"not_http", R"({"url":"ftp://a/",)" + secret + "}", "bad_request: webhook.url must begin with http:// or https://"},
        field_case{"short_secret", R"({"url":"https://a/","secret":"0123456789abcde"})",
            "bad_request: webhook.secret must be at least 16 bytes long"},
        field_case{"long_secret", R"({"url":"https://a/","secret":")" + std::string(257, 'x') + R"("})",
            "bad_request: webhook.secret must be at most 256 bytes long, not 257"},
        field_case{"long_url", R"({"url":"https://a/)" + std::string(2'048, 'x') + R"(",)" + secret + "}",
            "bad_request: webhook.url must be at most 2048 bytes long, not 2058"},
        field_case{"unknown", R"({"url":"https://a/","method":"PUT",)" + secret + "}", "bad_request: webhook.method is not a known field"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(WebhookView, HasNoSecretAndOnlyWhatIsKnown)
{
    const auto text = [](const webhook_status& status) {
        std::string out;
        json_writer writer(out);
        writer.begin_object();
        write_webhook(writer, status);
        writer.end_object();
        return out;
    };
    EXPECT_EQ(
        text({"https://a/", webhook_state::pending, 0, {}, "", {}}), R"({"webhook":{"url":"https://a/","state":"pending","attempts":0}})");
    EXPECT_EQ(text({"https://a/", webhook_state::pending, 2, 500, "the receiver answered 500", 1'700'000'000'000}),
        R"({"webhook":{"url":"https://a/","state":"pending","attempts":2,"last_status":500,"last_error":"the receiver answered 500",)"
        R"("next_attempt_at":"2023-11-14T22:13:20.000Z"}})");
}

}    // namespace
}    // namespace caisson::wire

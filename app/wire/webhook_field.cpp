#include "app/wire/webhook_field.hpp"

#include "core/base/clock.hpp"
#include "core/base/utf8.hpp"
#include "core/webhooks/addresses.hpp"

namespace caisson::wire {

namespace {

std::string read_url(object_reader& webhook, bool allow_private)
{
    auto url = webhook.text("url", max_webhook_url_bytes, 1);
    if (!url) {
        if (!webhook.has("url"))
            webhook.problem("url", "is required");
        return {};
    }
    const auto parsed = parse_webhook_url(*url);
    if (parsed.has_error())
        webhook.problem("url", parsed.error().detail);
    else if (!allow_private && is_private_host(parsed->host))
        webhook.problem(
            "url", "names an address that is not on the public internet; this server sends none there (webhooks.allow_private)");
    return std::move(*url);
}

}    // namespace

std::optional<webhook_spec> read_webhook(object_reader& reader, bool allow_private)
{
    const auto* object = reader.object("webhook");
    if (object == nullptr)
        return std::nullopt;
    object_reader webhook(*object, reader.path_of("webhook"), reader.problems());
    webhook_spec out;
    out.url = read_url(webhook, allow_private);
    out.secret = webhook.text("secret", max_webhook_secret_bytes, min_webhook_secret_bytes).value_or("");
    if (!webhook.has("secret"))
        webhook.problem("secret", "is required: what is sent is signed with it");
    webhook.refuse_unknown();
    return out;
}

void write_webhook(json_writer& out, const webhook_status& status)
{
    out.key("webhook").begin_object().key("url").text(status.url).key("state").text(to_string(status.state));
    out.key("attempts").integer(status.attempts);
    if (status.last_status)
        out.key("last_status").integer(*status.last_status);
    if (!status.last_error.empty())
        out.key("last_error").text(to_valid_utf8(status.last_error));
    if (status.next_attempt_at_ms)
        out.key("next_attempt_at").text(to_rfc3339(*status.next_attempt_at_ms));
    out.end_object();
}

}    // namespace caisson::wire

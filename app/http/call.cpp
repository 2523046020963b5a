#include "app/http/call.hpp"

#include "app/wire/error_view.hpp"
#include "app/wire/status.hpp"

namespace caisson::http {

namespace {

/// Seconds after which a refused client may try again.
constexpr std::string_view retry_after = "1";

net::response json_response(int status, std::string body)
{
    net::response answer;
    answer.status = status;
    answer.fields.set("Content-Type", "application/json");
    answer.fields.set("Cache-Control", "no-store");
    answer.fields.set("X-Content-Type-Options", "nosniff");
    answer.body = std::move(body);
    return answer;
}

}    // namespace

result<execution_id> call::id() const
{
    const auto text = match_.capture("id");
    if (auto parsed = execution_id::parse(text))
        return *parsed;
    return error{errc::not_found, "there is no execution \"" + std::string(text.substr(0, 64)) + "\""};
}

task<> call::answer(int status, std::string json) { return exchange_.respond(json_response(status, std::move(json))); }

task<> call::answer(int status, std::string json, net::header_field extra)
{
    auto response = json_response(status, std::move(json));
    response.fields.set(extra.name, std::move(extra.value));
    return exchange_.respond(std::move(response));
}

task<> call::fail(error what)
{
    auto response = json_response(static_cast<int>(wire::http_status(what.code)), wire::error_json(what, request().request_id));
    if (response.status == 429 || response.status == 503)
        response.fields.set("Retry-After", std::string(retry_after));
    if (response.status == 401)
        response.fields.set("WWW-Authenticate", "Bearer realm=\"caisson\"");
    return exchange_.respond(std::move(response));
}

task<> call::fail(error what, net::header_field extra)
{
    auto response = json_response(static_cast<int>(wire::http_status(what.code)), wire::error_json(what, request().request_id));
    response.fields.set(extra.name, std::move(extra.value));
    return exchange_.respond(std::move(response));
}

task<> call::text(int status, std::string type, std::string body)
{
    net::response response;
    response.status = status;
    response.fields.set("Content-Type", std::move(type));
    response.fields.set("X-Content-Type-Options", "nosniff");
    response.body = std::move(body);
    return exchange_.respond(std::move(response));
}

}    // namespace caisson::http

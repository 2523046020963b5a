#include "app/doors/http/call.hpp"

#include "app/doors/http/credentials.hpp"
#include "app/wire/error_view.hpp"
#include "app/wire/status.hpp"

namespace caisson::http {

namespace {

/// Default Retry-After, in seconds.
constexpr std::int64_t default_retry_s = 1;

net::response json_head(int status)
{
    net::response answer;
    answer.status = status;
    answer.fields.reserve(4);
    answer.fields.add("Content-Type", json_type);
    answer.fields.add("Cache-Control", "no-store");
    answer.fields.add("X-Content-Type-Options", "nosniff");
    return answer;
}

net::response json_response(int status, std::string body)
{
    auto answer = json_head(status);
    answer.body = std::move(body);
    return answer;
}

class writer_with_key final : public net::stream_writer {
public:
    writer_with_key(std::unique_ptr<net::stream_writer> to, key_watch::guard key) : to_(std::move(to)), key_(std::move(key)) { }

    task<bool> write(std::string_view bytes) override { return key_.has_ended() ? refuse() : to_->write(bytes); }
    task<> finish() override { return to_->finish(); }

private:
    static task<bool> refuse() { co_return false; }

    const std::unique_ptr<net::stream_writer> to_;
    const key_watch::guard key_;
};

}    // namespace

void call::guard_key()
{
    if (!key_)
        key_ = keys_ != nullptr ? keys_->guard_of(who.key) : key_watch::guard();
}

task<result<shared_bytes>> call::read_body()
{
    guard_key();
    auto piece = co_await exchange_.body().read();
    if (key_->has_ended())
        co_return ended_key();
    co_return piece;
}

task<std::unique_ptr<net::stream_writer>> call::begin_stream(net::response head)
{
    guard_key();
    auto out = co_await exchange_.begin_stream(std::move(head));
    co_return std::make_unique<writer_with_key>(std::move(out), *key_);
}

result<execution_id> call::id() const
{
    const auto text = match_.capture("id");
    if (auto parsed = execution_id::parse(text))
        return *parsed;
    return error{errc::not_found, "execution not found"};
}

task<> call::answer(int status, std::string json)
{
    auto response = json_response(status, std::move(json));
    for (const auto& [name, value] : extra)
        response.fields.set(name, value);
    return exchange_.respond(std::move(response));
}

task<> call::answer(int status, shared_bytes json)
{
    auto response = json_head(status);
    response.kept_body = std::move(json);
    for (const auto& [name, value] : extra)
        response.fields.set(name, value);
    return exchange_.respond(std::move(response));
}

task<> call::answer(int status, std::string json, net::header_field one_more)
{
    extra.set(one_more.name, std::move(one_more.value));
    return answer(status, std::move(json));
}

task<> call::no_content()
{
    net::response done;
    done.status = 204;
    return exchange_.respond(std::move(done));
}

net::response call::refusal(const error& what)
{
    auto response = json_response(static_cast<int>(wire::http_status(what.code)), wire::error_json(what, request().request_id));
    if (response.status == 429 || response.status == 503)
        response.fields.set("Retry-After", std::to_string(what.facts ? what.facts->retry_after_s : default_retry_s));
    if (response.status == 401)
        response.fields.set("WWW-Authenticate", "Bearer realm=\"caisson\"");
    return response;
}

task<> call::fail(error what) { return exchange_.respond(refusal(what)); }

task<> call::fail(error what, net::header_field one_more)
{
    auto response = refusal(what);
    response.fields.set(one_more.name, std::move(one_more.value));
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

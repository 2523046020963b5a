#include "app/cli/api_client.hpp"

#include "app/cli/exit_status.hpp"
#include "app/cli/reconnect_policy.hpp"
#include "core/auth/admin_key.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace caisson::cli {

namespace {

constexpr std::chrono::seconds patience{60};
constexpr std::size_t max_message_bytes = 16 << 20;
constexpr std::size_t deepest = 300;    // a skill's output is nested 256 deep at most

bool is_this_machine(const std::string& host)
{
    boost::system::error_code failure;
    const auto address = asio::ip::make_address(host, failure);
    return host == "localhost" || (!failure && address.is_loopback());
}

errc code_of(std::string_view name, int status)
{
    for (auto code = static_cast<int>(errc::internal); code <= static_cast<int>(errc::cancelled); ++code)
        if (name == slug(static_cast<errc>(code)))
            return static_cast<errc>(code);
    if (status == 401)
        return errc::unauthorized;
    if (status == 404)
        return errc::not_found;
    return status >= 500 ? errc::runtime_unavailable : errc::bad_request;
}

boost::json::value parse(std::string_view text, boost::system::error_code& failure)
{
    boost::json::parse_options options;
    options.max_depth = deepest;
    return boost::json::parse(text, failure, {}, options);
}

net::request request_for(std::string method, std::string target)
{
    net::request what;
    what.method = std::move(method);
    what.target = std::move(target);
    return what;
}

}    // namespace

boost::json::value parse_deep(std::string_view text)
{
    boost::system::error_code failure;
    auto value = parse(text, failure);
    if (failure)
        throw boost::system::system_error(failure);
    return value;
}

result<server_access> resolve_access(const client_options& options, const std::map<std::string, std::string>& environment)
{
    auto address = net::url::parse(options.url);
    if (address.has_error())
        return error{errc::bad_request, "the address \"" + options.url + "\" cannot be used: " + address.error().detail};
    server_access access{std::move(*address), secret(), "set CAISSON_API_KEY to a valid key", options.ca_file};
    if (const auto given = environment.find("CAISSON_API_KEY"); given != environment.end() && !given->second.empty()) {
        access.key = secret(given->second);
        return access;
    }
    const auto file = options.data_dir / "admin.key";
    if (!is_this_machine(access.address.host))
        return access;
    if (auto key = read_key_file(file))
        access.key = std::move(*key);
    else
        access.key_hint = "set CAISSON_API_KEY, or --data to a directory whose admin.key you can read (" + file.string() + " is not)";
    return access;
}

api_client::api_client(io_executor executor, timers& time, server_access access)
    : time_(time), access_(std::move(access)), client_(executor, time, access_.address, {.ca_file = access_.ca_file})
{
}

net::headers api_client::common_fields() const
{
    net::headers fields{{"Accept", "application/json"}, {"User-Agent", "caisson"}};
    if (!access_.key.empty())
        fields.set("Authorization", "Bearer " + std::string(access_.key.reveal()));
    return fields;
}

task<result<boost::json::value>> api_client::get(std::string target) { return call(request_for("GET", std::move(target))); }

task<result<boost::json::value>> api_client::remove(std::string target) { return call(request_for("DELETE", std::move(target))); }

task<result<boost::json::value>> api_client::put(std::string target) { return call(request_for("PUT", std::move(target))); }

task<result<boost::json::value>> api_client::post(std::string target, boost::json::value body)
{
    auto what = request_for("POST", std::move(target));
    what.body = boost::json::serialize(body);
    return call(std::move(what));
}

task<result<boost::json::value>> api_client::post_once(std::string target, boost::json::value body, std::string idempotency_key)
{
    return post_text_once(std::move(target), boost::json::serialize(body), std::move(idempotency_key));
}

task<result<boost::json::value>> api_client::post_text_once(std::string target, std::string body, std::string idempotency_key)
{
    auto what = request_for("POST", std::move(target));
    what.body = std::move(body);
    what.fields.set("Idempotency-Key", "\"" + idempotency_key + "\"");
    reconnect_policy policy;
    for (;;) {
        auto answer = co_await send(what);
        if (answer.has_value())
            co_return read(*answer);
        const bool lost = client_.reached() && may_pass(answer.error().code);
        const auto delay = lost ? policy.broke(time_.steady_now()) : std::nullopt;
        if (!delay)
            co_return told(answer.error());
        co_await time_.wait_for(*delay);
    }
}

task<result<net::response>> api_client::send(net::request what)
{
    for (const auto& [name, value] : common_fields())
        what.fields.set(name, value);
    if (!what.body.empty())
        what.fields.set("Content-Type", "application/json");
    return client_.send(std::move(what), time_.steady_now() + patience);
}

task<result<boost::json::value>> api_client::call(net::request what)
{
    auto answer = co_await send(std::move(what));
    if (answer.has_error())
        co_return told(answer.error());
    co_return read(*answer);
}

task<result<std::string>> api_client::get_text(std::string target)
{
    auto answer = co_await send(request_for("GET", std::move(target)));
    if (answer.has_error())
        co_return told(answer.error());
    auto checked = read(*answer);
    if (checked.has_error())
        co_return checked.error();
    co_return std::move(answer->body);
}

task<result<api_client::content>> api_client::get_content(std::string target)
{
    auto answer = co_await send(request_for("GET", std::move(target)));
    if (answer.has_error())
        co_return told(answer.error());
    if (answer->status >= 400)
        co_return refusal(answer->status, answer->body);
    co_return content{std::move(answer->body), std::string(answer->fields.find("Content-Type").value_or(""))};
}

task<result<api_client::page>> api_client::get_page(std::string target)
{
    auto answer = co_await send(request_for("GET", std::move(target)));
    if (answer.has_error())
        co_return told(answer.error());
    auto body = read(*answer);
    if (body.has_error())
        co_return body.error();
    co_return page{std::move(*body), std::string(answer->fields.find("X-Next-Cursor").value_or(""))};
}

task<result<boost::json::value>> api_client::upload(std::string target, std::string content_type, net::body_source* body, progress told_of)
{
    auto what = request_for("POST", std::move(target));
    what.fields = common_fields();
    what.fields.set("Content-Type", std::move(content_type));
    net::transfer_options how;
    how.progress = std::move(told_of);
    auto answer = co_await client_.upload(std::move(what), *body, std::move(how));
    if (answer.has_error())
        co_return told(answer.error());
    co_return read(*answer);
}

task<result<void>> api_client::download(std::string target, net::body_sink to, progress told_of)
{
    auto what = request_for("GET", std::move(target));
    what.fields = common_fields();
    what.fields.set("Accept", "*/*");
    net::transfer_options how;
    how.progress = std::move(told_of);
    auto answer = co_await client_.download(std::move(what), std::move(to), std::move(how));
    if (answer.has_error())
        co_return told(answer.error());
    if (answer->status >= 300)
        co_return refusal(answer->status, answer->body);
    co_return result<void>();
}

result<boost::json::value> api_client::read(const net::response& answer) const
{
    if (answer.status >= 400)
        return refusal(answer.status, answer.body);
    if (answer.body.empty())
        return boost::json::value(nullptr);
    boost::system::error_code failure;
    auto value = parse(answer.body, failure);
    if (failure)
        return error{errc::bad_request, access_.address.str() + " answered with something that is not JSON; is it a Caisson server?"};
    return value;
}

task<result<std::unique_ptr<net::websocket>>> api_client::connect(std::string target)
{
    net::websocket_options options;
    options.max_message_bytes = max_message_bytes;
    auto opened = co_await client_.connect_websocket(std::move(target), common_fields(), time_.steady_now() + patience, options);
    if (opened.has_error())
        co_return told(opened.error());
    co_return std::move(*opened);
}

task<result<std::unique_ptr<net::body_reader>>> api_client::open_lines(std::string target)
{
    return read_lines(request_for("GET", std::move(target)));
}

task<result<std::unique_ptr<net::body_reader>>> api_client::post_lines(std::string target, boost::json::value body)
{
    auto what = request_for("POST", std::move(target));
    what.body = boost::json::serialize(body);
    return read_lines(std::move(what));
}

task<result<std::unique_ptr<net::body_reader>>> api_client::read_lines(net::request what)
{
    what.fields = common_fields();
    if (!what.body.empty())
        what.fields.set("Content-Type", "application/json");
    what.fields.set("Accept", "application/x-ndjson");
    auto opened = co_await client_.open_stream(std::move(what), time_.steady_now() + patience);
    if (opened.has_error())
        co_return told(opened.error());
    const auto status = (*opened)->head().status;
    if (status < 400)
        co_return std::move(*opened);
    auto body = co_await (*opened)->read();
    co_return refusal(status, body.has_value() && *body ? **body : std::string());
}

error api_client::told(error what) const
{
    if (what.code == errc::runtime_unavailable || what.code == errc::timed_out)
        what.detail += " CAISSON_URL says where it is looked for; `caisson serve` starts one";
    if (what.code == errc::unauthorized)
        what.detail += "; " + access_.key_hint;
    if (access_.address.encrypted && what.detail.find("is not to be trusted") != std::string::npos)
        what.detail += "; --ca FILE or CAISSON_CA names the CAs to trust instead of the system's";
    return what;
}

error api_client::refusal(int status, const std::string& body) const
{
    boost::system::error_code failure;
    const auto value = boost::json::parse(body, failure);
    if (failure || !value.is_object())
        return told({code_of("", status),
            access_.address.str() + " answered " + std::to_string(status) + " " + std::string(net::reason_phrase(status))});
    const auto& object = value.get_object();
    // told() adds advice for a server that does not answer. This one did; only advice about the key applies.
    error what{code_of(text_of(object, "error"), status), text_of(object, "message")};
    return what.code == errc::unauthorized ? told(std::move(what)) : what;
}

}    // namespace caisson::cli

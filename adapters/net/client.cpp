#include "adapters/net/client.hpp"

#include "adapters/net/client_impl.hpp"

#include <boost/json/parse.hpp>

namespace caisson::net {

namespace {

constexpr std::size_t max_shown_body_bytes = 200;

bool is_idempotent(std::string_view method)
{
    return method == "GET" || method == "HEAD" || method == "PUT" || method == "DELETE" || method == "OPTIONS";
}

errc errc_of_status(int status)
{
    switch (status) {
    case 401: return errc::unauthorized;
    case 403: return errc::forbidden;
    case 404: return errc::not_found;
    case 405: return errc::method_not_allowed;
    case 408: return errc::timed_out;
    case 409: return errc::conflict;
    case 410: return errc::gone;
    case 413:
    case 414:
    case 431: return errc::too_large;
    case 415: return errc::unsupported_media_type;
    case 422: return errc::unprocessable;
    case 429: return errc::rate_limited;
    case 501: return errc::not_implemented;
    case 503: return errc::runtime_unavailable;
    default: return status >= 500 ? errc::internal : errc::bad_request;
    }
}

class streamed_body final : public body_reader {
public:
    streamed_body(connection_ptr from, response head) : from_(std::move(from)), head_(std::move(head)) { }

    const response& head() const override { return head_; }

    task<result<std::optional<std::string>>> read() override
    {
        std::string bytes;
        auto got = co_await from_->read_body(&bytes);
        if (got.has_error())
            co_return got.error();
        if (bytes.empty())
            co_return std::optional<std::string>();
        co_return std::optional<std::string>(std::move(bytes));
    }

private:
    connection_ptr from_;
    response head_;
};

}    // namespace

/// The most recently used idle connection that is still alive; null if there is none.
connection_ptr client::impl::take_idle()
{
    while (!idle.empty()) {
        auto out = std::move(idle.back());
        idle.pop_back();
        if (out->is_alive())
            return out;
    }
    return nullptr;
}

task<result<stream>> client::impl::connect()
{
    if (server.encrypted && !trust) {
        auto made = tls_context::for_client(options.ca_file, {options.certificate_file, options.key_file});
        if (made.has_error())
            co_return made.error();
        trust = std::move(*made);
    }
    auto socket = co_await connect_to(server, trust, options.addresses);
    reached = reached || socket.has_value();
    co_return socket;
}

task<result<client::impl::begun>> client::impl::begin(shared_request what, std::uint64_t max_body_bytes)
{
    if (auto kept = take_idle()) {
        auto head = co_await begin_on(kept.get(), what, max_body_bytes);
        if (head.has_value())
            co_return begun{std::move(kept), std::move(*head)};
        const bool retry = head.error().code == errc::runtime_unavailable && !kept->answered() && is_idempotent(what->method);
        if (!retry)
            co_return head.error();
    }
    auto socket = co_await connect();
    if (socket.has_error())
        co_return socket.error();
    auto fresh = std::make_unique<client_connection>(std::move(*socket), options);
    auto head = co_await begin_on(fresh.get(), what, max_body_bytes);
    if (head.has_error())
        co_return head.error();
    co_return begun{std::move(fresh), std::move(*head)};
}

task<result<response>> client::impl::begin_on(client_connection* on, shared_request what, std::uint64_t max_body_bytes)
{
    auto sent = co_await on->send(what, server);
    if (sent.has_error())
        co_return sent.error();
    co_return co_await on->read_head(what->method, max_body_bytes);
}

task<result<response>> client::impl::send(request what)
{
    auto got = co_await begin(std::make_shared<const request>(std::move(what)), options.max_response_bytes);
    if (got.has_error())
        co_return got.error();
    auto answer = std::move(got->head);
    auto connection = std::move(got->connection);
    while (!connection->done()) {
        auto more = co_await connection->read_body(&answer.body);
        if (more.has_error())
            co_return more.error();
    }
    if (connection->reusable() && idle.size() < options.max_idle_connections)
        idle.push_back(std::move(connection));
    co_return answer;
}

task<result<std::unique_ptr<body_reader>>> client::impl::open_stream(request what)
{
    auto got = co_await begin(std::make_shared<const request>(std::move(what)), UINT64_MAX);
    if (got.has_error())
        co_return got.error();
    co_return std::make_unique<streamed_body>(std::move(got->connection), std::move(got->head));
}

task<result<std::unique_ptr<websocket>>> client::impl::open(websocket_target to, websocket_options how)
{
    auto socket = co_await connect();
    if (socket.has_error())
        co_return socket.error();
    const websocket_host host{&time, &tasks, nullptr, nullptr};
    co_return co_await open_websocket(std::move(*socket), std::move(to), std::move(how), host);
}

client::client(io_executor executor, timers& time, url server, client_options options)
    : impl_(std::make_unique<impl>(executor, time, std::move(server), std::move(options)))
{
}

client::~client() = default;

const url& client::server() const { return impl_->server; }
bool client::reached() const { return impl_->reached; }

task<result<response>> client::send(request what, steady_time deadline) { return impl_->bounded(deadline, impl_->send(std::move(what))); }

task<result<std::unique_ptr<body_reader>>> client::open_stream(request what, steady_time deadline)
{
    return impl_->bounded(deadline, impl_->open_stream(std::move(what)));
}

task<result<std::unique_ptr<websocket>>> client::connect_websocket(
    std::string target, headers fields, steady_time deadline, websocket_options options)
{
    websocket_target to{impl_->server.authority(), impl_->server.base_path + target, std::move(fields)};
    return impl_->bounded(deadline, impl_->open(std::move(to), std::move(options)));
}

error error_of_status(int status, std::string_view body)
{
    error out{errc_of_status(status), "the server answered " + std::to_string(status) + " " + std::string(reason_phrase(status))};
    boost::system::error_code failed;
    const auto parsed = boost::json::parse(body, failed);
    const auto* object = failed ? nullptr : parsed.if_object();
    const auto* message = object ? object->if_contains("message") : nullptr;
    if (message && message->is_string())
        out.detail = std::string(message->get_string());
    else if (!body.empty())
        out.detail += ": " + std::string(body.substr(0, max_shown_body_bytes));
    return out;
}

}    // namespace caisson::net

#include "app/server/webhook_sender.hpp"

#include "core/async/deadline.hpp"
#include "core/webhooks/addresses.hpp"

#include <algorithm>
#include <system_error>

namespace caisson {

namespace {

namespace ip = boost::asio::ip;

constexpr std::size_t max_answer_bytes = 64 << 10;
constexpr std::size_t max_answer_head_bytes = 16 << 10;

net::request request_of(const webhook_url& to, webhook_message message)
{
    net::request out;
    out.method = "POST";
    out.target = to.target;
    out.fields = {{"Content-Type", "application/json"}, {"User-Agent", "Caisson-Webhooks"}, {"Connection", "close"}};
    for (auto& [name, value] : message.fields)
        out.fields.add(name, std::move(value));
    out.body = std::move(message.body);
    return out;
}

/// Reads and discards the receiver's answer, so that its write is not cut off.
task<> hear_out(std::unique_ptr<net::body_reader> answer)
{
    std::size_t heard = 0;
    while (heard < max_answer_bytes) {
        auto piece = co_await answer->read();
        if (piece.has_error() || !*piece)
            co_return;
        heard += (*piece)->size();
    }
}

void drop_own_and_private(webhook_route& route, const std::vector<ip::address>& own)
{
    std::erase_if(
        route, [&](const auto& each) { return !is_public_address(each) || std::ranges::find(own, without_embedding(each)) != own.end(); });
}

}    // namespace

http_webhook_sender::http_webhook_sender(
    io_executor executor, timers& time, reach where, std::size_t lookups, name_lookups::resolver how, addresses_of_host own)
    : executor_(executor), time_(time), where_(where), names_(executor, lookups, std::move(how)), own_(std::move(own))
{
}

task<result<webhook_route>> http_webhook_sender::look_up(std::string url)
{
    const auto to = parse_webhook_url(url);
    if (to.has_error())
        co_return error{errc::bad_request, "its address " + to.error().detail};
    boost::system::error_code no_literal;
    const auto literal = asio::ip::make_address(to->host, no_literal);
    result<webhook_route> found = webhook_route{literal};
    if (no_literal)
        found = co_await names_.find(to->host);
    if (found.has_error())
        co_return found;
    if (where_ == reach::public_only) {
        try {
            drop_own_and_private(*found, own_());
        } catch (const std::system_error& e) {
            co_return error{errc::runtime_unavailable, e.what()};
        }
    }
    if (found->empty())
        co_return error{errc::forbidden, to->host + " has only private addresses or this host's own, and this server sends to neither"};
    co_return found;
}

task<webhook_answer> http_webhook_sender::post(webhook_message message, webhook_route to, std::chrono::milliseconds timeout)
{
    webhook_answer out;
    auto url = parse_webhook_url(message.url);
    if (url.has_error()) {
        out.failure = "its address " + url.error().detail;
        out.refused = true;
        co_return out;
    }
    auto sent = co_await send(std::move(*url), std::move(message), std::move(to), time_.steady_now() + timeout);
    if (sent.has_value()) {
        out.status = *sent;
        co_return out;
    }
    out.late = sent.error().code == errc::timed_out;
    out.failure = sent.error().detail;
    co_return out;
}

namespace {

task<result<webhook_route>> give(webhook_route known) { co_return known; }

}    // namespace

task<result<int>> http_webhook_sender::send(webhook_url url, webhook_message message, webhook_route to, steady_time deadline)
{
    net::client_options options;
    options.max_head_bytes = max_answer_head_bytes;
    options.max_idle_connections = 0;
    options.addresses = [to = std::move(to)](std::string) { return give(to); };
    auto what = request_of(url, std::move(message));
    net::url server{.host = url.host, .port = url.port, .encrypted = url.encrypted};
    net::client receiver(executor_, time_, std::move(server), std::move(options));
    auto answer = co_await receiver.open_stream(std::move(what), deadline);
    if (answer.has_error())
        co_return answer.error();
    const int status = (*answer)->head().status;
    co_await with_deadline(time_, deadline, hear_out(std::move(*answer)));
    co_return status;
}

}    // namespace caisson

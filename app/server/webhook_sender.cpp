#include "app/server/webhook_sender.hpp"

#include "core/async/deadline.hpp"
#include "core/webhooks/addresses.hpp"

#include <netdb.h>
#include <netinet/in.h>

#include <cstring>

namespace caisson {

namespace {

constexpr std::size_t max_answer_bytes = 64 << 10;
constexpr std::size_t max_answer_head_bytes = 16 << 10;

asio::ip::address address_of(const ::sockaddr& from)
{
    if (from.sa_family == AF_INET) {
        ::sockaddr_in v4{};
        std::memcpy(&v4, &from, sizeof v4);
        return asio::ip::address_v4(ntohl(v4.sin_addr.s_addr));
    }
    ::sockaddr_in6 v6{};
    std::memcpy(&v6, &from, sizeof v6);
    asio::ip::address_v6::bytes_type bytes{};
    std::memcpy(bytes.data(), &v6.sin6_addr, bytes.size());
    return asio::ip::address_v6(bytes);
}

/// Blocks. Empty if the name stands for nothing.
std::vector<asio::ip::address> look_up(const std::string& host)
{
    ::addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    ::addrinfo* found = nullptr;
    if (::getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0)
        return {};
    std::vector<asio::ip::address> out;
    for (const auto* each = found; each != nullptr; each = each->ai_next)
        if (each->ai_family == AF_INET || each->ai_family == AF_INET6)
            out.push_back(address_of(*each->ai_addr));
    ::freeaddrinfo(found);
    return out;
}

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

/// Reads what the receiver says, so that it is not cut off while it writes; nobody looks at it.
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

}    // namespace

http_webhook_sender::http_webhook_sender(io_executor executor, timers& time, reach where) : executor_(executor), time_(time), where_(where)
{
}

task<webhook_answer> http_webhook_sender::post(webhook_message message, std::chrono::milliseconds timeout)
{
    webhook_answer out;
    auto to = parse_webhook_url(message.url);
    if (to.has_error()) {
        out.failure = "its address " + to.error().detail;
        out.refused = true;
        co_return out;
    }
    auto sent = co_await send(std::move(*to), std::move(message), time_.steady_now() + timeout);
    if (sent.has_value()) {
        out.status = *sent;
        co_return out;
    }
    const bool late = sent.error().code == errc::timed_out;
    out.failure = late ? "the receiver did not answer within " + std::to_string(timeout.count()) + " ms" : sent.error().detail;
    out.refused = sent.error().code == errc::forbidden;
    co_return out;
}

task<result<int>> http_webhook_sender::send(webhook_url to, webhook_message message, steady_time deadline)
{
    net::client_options options;
    options.max_head_bytes = max_answer_head_bytes;
    options.max_idle_connections = 0;
    options.addresses = [this](std::string host) { return find(std::move(host)); };
    auto what = request_of(to, std::move(message));
    net::url server{.host = to.host, .port = to.port, .encrypted = to.encrypted};
    net::client receiver(executor_, time_, std::move(server), std::move(options));
    auto answer = co_await receiver.open_stream(std::move(what), deadline);
    if (answer.has_error())
        co_return answer.error();
    const int status = (*answer)->head().status;
    co_await with_deadline(time_, deadline, hear_out(std::move(*answer)));
    co_return status;
}

task<result<std::vector<asio::ip::address>>> http_webhook_sender::find(std::string host)
{
    auto work = [host] { return look_up(host); };
    auto found = co_await offload(resolving_, std::move(work));
    if (found.empty())
        co_return error{errc::runtime_unavailable, "the name " + host + " stands for no address"};
    if (where_ == reach::public_only)
        std::erase_if(found, [](const auto& each) { return !is_public_address(each); });
    if (found.empty())
        co_return error{
            errc::forbidden, "the name " + host + " stands for no address on the public internet, and this server sends to no other"};
    co_return found;
}

}    // namespace caisson

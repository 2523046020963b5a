#include "app/server/transport.hpp"

#include <boost/asio/ip/address.hpp>

#include <csignal>

namespace caisson {

namespace {

using namespace std::chrono_literals;

constexpr auto look_every = 10s;
constexpr auto warn_every = 24h;
/// Descriptors that are not clients': the database, links to sandboxes, pipes.
constexpr std::int64_t own_descriptors = 256;

bool is_this_machine(const std::string& host)
{
    boost::system::error_code failure;
    const auto address = asio::ip::make_address(host, failure);
    return host == "localhost" || (!failure && address.is_loopback());
}

std::string listed(const std::vector<std::string>& names)
{
    std::string text;
    for (const auto& name : names)
        text += (text.empty() ? "" : ", ") + name;
    return text;
}

}    // namespace

net::server_options http_options(const http_config& from)
{
    const auto size = [](std::int64_t value) { return static_cast<std::size_t>(value); };
    net::server_options options;
    options.max_request_line_bytes = size(from.max_request_line_bytes);
    options.max_header_bytes = size(from.max_header_bytes);
    options.max_header_count = size(from.max_headers);
    options.max_body_bytes = static_cast<std::uint64_t>(from.max_body_bytes);
    options.max_connections = size(from.max_connections);
    options.max_connections_per_address = size(from.max_connections_per_address);
    options.header_timeout = std::chrono::milliseconds(from.header_timeout_ms);
    options.body_timeout = std::chrono::milliseconds(from.body_timeout_ms);
    options.idle_timeout = std::chrono::milliseconds(from.idle_timeout_ms);
    options.write_timeout = std::chrono::milliseconds(from.write_timeout_ms);
    return options;
}

transport::transport(const server_config& config, net::server& server, io_executor executor, timers& time, logger& log)
    : config_(config), server_(server), time_(time), log_(log), hangups_(executor, SIGHUP)
{
}

result<void> transport::prepare(std::int64_t most_descriptors)
{
    if (config_.http.max_connections + own_descriptors > most_descriptors)
        log_.warning("fewer descriptors than connections: raise the limit (LimitNOFILE=, ulimit -n), or lower http.max_connections",
            {{"descriptors", std::to_string(most_descriptors)}, {"http.max_connections", std::to_string(config_.http.max_connections)}});
    if (!config_.http.tls.certificate.empty())
        return load();
    if (!is_this_machine(config_.listen_host))
        log_.warning("keys, programs and their output go over the network UNENCRYPTED: set http.tls.certificate and http.tls.key, or put a "
                     "proxy that ends TLS in front and listen on 127.0.0.1",
            {{"listen", config_.listen_host}});
    return {};
}

result<void> transport::load()
{
    seen_ = net::stamps_of(files());
    auto made = net::tls_context::for_server(files());
    if (made.has_error())
        return made.error();
    in_use_ = std::move(*made);
    server_.set_tls(in_use_);
    const auto& facts = in_use_->certificate();
    log_.info(
        "new connections get this TLS certificate", {{"certificate", config_.http.tls.certificate.string()}, {"names", listed(facts.names)},
                                                        {"lifetime", net::lifetime_text(facts, time_.now_ms())}});
    warn_of_weaknesses();
    return {};
}

void transport::warn_of_weaknesses()
{
    for (const auto& weakness : net::weaknesses_of(in_use_->certificate(), files(), time_.now_ms()))
        log_.warning(weakness);
}

void transport::reload()
{
    auto loaded = load();
    if (loaded.has_error())
        log_.error("the TLS certificate stays the old one", {{"what", loaded.error().detail}});
}

task<> transport::watch()
{
    if (!in_use_)
        co_return;
    auto warned = time_.steady_now();
    for (;;) {
        co_await time_.wait_for(look_every);
        if (net::stamps_of(files()) != seen_) {
            reload();
        } else if (time_.steady_now() - warned >= warn_every) {
            warned = time_.steady_now();
            warn_of_weaknesses();
        }
    }
}

task<> transport::heed_hangups()
{
    for (;;) {
        static_cast<void>(co_await hangups_.async_wait(use_task));
        if (in_use_)
            reload();
        else
            log_.info("SIGHUP reloads the TLS certificate, and there is none");
    }
}

std::optional<transport::state> transport::certificate() const
{
    if (!in_use_)
        return std::nullopt;
    const auto now = time_.now_ms();
    const auto& facts = in_use_->certificate();
    return state{facts.days_left(now) >= 0 && facts.not_before_ms <= now, net::lifetime_text(facts, now)};
}

}    // namespace caisson

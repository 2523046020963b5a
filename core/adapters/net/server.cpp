#include "core/adapters/net/server.hpp"

#include "core/adapters/net/connection.hpp"
#include "core/adapters/net/session.hpp"
#include "core/async/deadline.hpp"
#include "core/base/random.hpp"

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/ip/basic_resolver.hpp>
#include <boost/asio/redirect_error.hpp>

#include <array>
#include <cstdio>

namespace caisson::net {

namespace {

using acceptor = asio::basic_socket_acceptor<tcp, io_executor>;

constexpr std::size_t max_turned_away = 64;                      // at once; others beyond the limit are just closed
constexpr auto accept_pause = std::chrono::milliseconds(100);    // after a lack of descriptors

std::string text_of(const tcp::endpoint& of)
{
    const auto address = of.address().to_string();
    return (of.address().is_v6() ? "[" + address + "]" : address) + ":" + std::to_string(of.port());
}

error cannot_listen(const std::string& where, const boost::system::error_code& why)
{
    if (why == asio::error::address_in_use)
        return {errc::conflict, where + " is in use: stop the other server, or choose another port"};
    if (why == asio::error::access_denied)
        return {errc::forbidden, where + " may not be used by this user: choose a port of 1024 or more"};
    return {errc::bad_request, "cannot listen on " + where + ": " + why.message()};
}

boost::system::error_code open_and_bind(acceptor& socket, const tcp::endpoint& where)
{
    boost::system::error_code failed;
    socket.open(where.protocol(), failed);
    if (!failed)
        socket.set_option(acceptor::reuse_address(true), failed);
    if (!failed)
        socket.bind(where, failed);
    if (!failed)
        socket.listen(acceptor::max_listen_connections, failed);
    return failed;
}

void begin_session(const std::shared_ptr<server_state>& state, tcp_socket socket, std::string peer)
{
    boost::system::error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    if (state->connections.size() - state->turned_away < state->options.max_connections)
        state->tasks->spawn("http session", serve_connection(state, std::move(socket), std::move(peer)));
    else if (state->turned_away < max_turned_away)
        state->tasks->spawn("http refusal", turn_away(state, std::move(socket), std::move(peer)));
}

task<> accept_loop(std::shared_ptr<server_state> state, std::shared_ptr<acceptor> from)
{
    while (from->is_open()) {
        tcp::endpoint peer;
        boost::system::error_code failed;
        auto socket = co_await from->async_accept(peer, asio::redirect_error(use_task, failed));
        if (!failed) {
            begin_session(state, std::move(socket), text_of(peer));
        } else if (failed != asio::error::operation_aborted && failed != asio::error::connection_aborted) {
            state->log.warning("cannot accept a connection", {{"what", failed.message()}});
            co_await state->time.wait_for(accept_pause);
        }
    }
}

task<> sweep_loop(std::shared_ptr<server_state> state)
{
    while (true) {
        co_await state->time.wait_for(state->options.sweep_interval);
        const auto now = state->time.steady_now();
        for (auto* each : state->connections)
            each->sweep(now);
    }
}

}    // namespace

server_state::server_state(io_executor the_executor, timers& the_time, logger& the_log, handler& the_answers, server_options the_options)
    : executor(the_executor), time(the_time), log(the_log), answers(the_answers), options(the_options), drain(the_executor)
{
    std::array<std::uint8_t, 6> bytes{};
    random_fill(bytes);
    id_prefix_ = "req_";
    for (const auto byte : bytes) {
        std::array<char, 3> hex{};
        std::snprintf(hex.data(), hex.size(), "%02x", byte);
        id_prefix_ += hex.data();
    }
}

std::string server_state::next_request_id()
{
    std::array<char, 17> number{};
    const int size = std::snprintf(number.data(), number.size(), "%08llx", static_cast<unsigned long long>(++last_id_));
    return id_prefix_ + std::string(number.data(), static_cast<std::size_t>(size));
}

std::string endpoint::url() const
{
    const auto host = address.find(':') == std::string::npos ? address : "[" + address + "]";
    return "http://" + host + ":" + std::to_string(port);
}

struct server::impl {
    impl(io_executor executor, timers& time, logger& log, handler& answers, server_options options)
        : state(std::make_shared<server_state>(executor, time, log, answers, options))
        , sessions(executor, log)
        , accepting(executor, log)
        , upkeep(executor, log)
    {
        state->tasks = &sessions;
        upkeep.spawn("http timeouts", sweep_loop(state));
    }

    std::shared_ptr<server_state> state;
    task_group sessions;
    task_group accepting;
    task_group upkeep;
    std::vector<std::shared_ptr<acceptor>> acceptors;
};

server::server(io_executor executor, timers& time, logger& log, handler& answers, server_options options)
    : impl_(std::make_unique<impl>(executor, time, log, answers, options))
{
}

server::~server() = default;

result<std::vector<endpoint>> server::listen(const std::string& host, std::uint16_t port)
{
    boost::system::error_code failed;
    asio::ip::basic_resolver<tcp, io_executor> resolver(impl_->state->executor);
    const auto found = resolver.resolve(host, std::to_string(port), tcp::resolver::passive, failed);
    if (failed)
        return error{errc::bad_request, "the name '" + host + "' stands for no address: " + failed.message()};
    std::vector<endpoint> out;
    std::vector<std::shared_ptr<acceptor>> opened;
    error last{errc::bad_request, "the name '" + host + "' stands for no address"};
    for (const auto& each : found) {
        const tcp::endpoint where(each.endpoint().address(), port);
        auto socket = std::make_shared<acceptor>(impl_->state->executor);
        if (const auto why = open_and_bind(*socket, where)) {
            last = cannot_listen(text_of(where), why);
            // "localhost" may name an address family that this machine has not.
            if (why == asio::error::address_in_use || why == asio::error::access_denied)
                return last;
            continue;
        }
        port = socket->local_endpoint().port();
        out.push_back({where.address().to_string(), port});
        opened.push_back(std::move(socket));
    }
    if (out.empty())
        return last;
    for (auto& each : opened) {
        impl_->accepting.spawn("http listener", accept_loop(impl_->state, each));
        impl_->acceptors.push_back(std::move(each));
    }
    return out;
}

task<> server::stop(steady_time deadline)
{
    auto& state = *impl_->state;
    state.draining = true;
    for (const auto& each : impl_->acceptors) {
        boost::system::error_code ignored;
        each->close(ignored);
    }
    co_await impl_->accepting.stop();
    for (auto* each : state.connections)
        each->close_if_idle();
    state.drain.notify_all();
    co_await with_deadline(state.time, deadline, impl_->sessions.wait_idle());
    co_await impl_->sessions.stop();
    co_await impl_->upkeep.stop();
}

std::size_t server::connections() const { return impl_->state->connections.size(); }

}    // namespace caisson::net

#include "adapters/net/server.hpp"

#include "adapters/net/connection.hpp"
#include "adapters/net/session.hpp"
#include "core/async/deadline.hpp"
#include "core/base/random.hpp"

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/ip/basic_resolver.hpp>
#include <boost/asio/redirect_error.hpp>

#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

namespace caisson::net {

namespace {

using acceptor = asio::basic_socket_acceptor<tcp, io_executor>;

constexpr std::size_t max_turned_away = 64;                      // at once; further ones are closed without a 503
constexpr auto accept_pause = std::chrono::milliseconds(100);    // after a failed accept, such as EMFILE

constexpr auto handshake_grace = std::chrono::milliseconds(500);    // a handshake's minimum time while others wait
constexpr auto handshake_pause = std::chrono::milliseconds(10);
constexpr auto warn_every = std::chrono::minutes(1);

/// TCP keepalive: the first probe after this idle time, then at this interval; the connection breaks after so many unanswered probes.
constexpr int probe_after_s = 60, probe_every_s = 15, probes = 4;

error cannot_listen(const std::string& where, const boost::system::error_code& why)
{
    if (why == asio::error::address_in_use)
        return {errc::conflict, where + " is in use: stop the other server, or choose another port"};
    if (why == asio::error::access_denied)
        return {errc::forbidden, where + " may not be used by this user: choose a port of 1024 or more"};
    return {errc::bad_request, "cannot listen on " + where + ": " + why.message()};
}

/// Accepted sockets inherit the listener's options.
void set_options(acceptor& socket, std::chrono::milliseconds write_timeout)
{
    boost::system::error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    socket.set_option(asio::socket_base::keep_alive(true), ignored);
    const auto set = [&socket](int option, int value) { ::setsockopt(socket.native_handle(), IPPROTO_TCP, option, &value, sizeof value); };
    set(TCP_KEEPIDLE, probe_after_s);
    set(TCP_KEEPINTVL, probe_every_s);
    set(TCP_KEEPCNT, probes);
    set(TCP_USER_TIMEOUT, static_cast<int>(write_timeout.count()));    // the limit for sent but unacknowledged data
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

connection* oldest(server_state& state, standing where) { return state.at(where).empty() ? nullptr : state.at(where).front(); }

/// The connection to evict: one that has not sent a whole request, else an idle one, else one with an unauthenticated request.
/// Null if all are being served.
connection* least_missed(server_state& state)
{
    auto* const newcomer = oldest(state, standing::newcomer);
    auto* const handshake = oldest(state, standing::handshake);
    if (newcomer != nullptr && handshake != nullptr)
        return newcomer->opened() < handshake->opened() ? newcomer : handshake;
    for (auto* each : {newcomer, handshake, oldest(state, standing::idle), oldest(state, standing::stranger)})
        if (each != nullptr)
            return each;
    return nullptr;
}

/// Evicts one connection, so that slow clients do not lock others out. Returns false if all are being served.
bool make_room(server_state& state)
{
    auto* const victim = least_missed(state);
    const auto now = state.time.steady_now();
    if (now - state.warned_of_fullness >= warn_every) {
        state.warned_of_fullness = now;
        state.log.warning("all connections are in use: one that waits is closed for each new one, or it gets 503",
            {{"limit", std::to_string(state.options.max_connections)}});
    }
    if (victim != nullptr)
        victim->evict();
    return victim != nullptr;
}

bool address_has_all(server_state& state, const tcp::endpoint& peer)
{
    const auto limit = state.options.max_connections_per_address;
    if (limit == 0)
        return false;
    const auto found = state.by_address.find(network_of(peer.address()));
    return found != state.by_address.end() && found->second >= limit;
}

void begin_session(const std::shared_ptr<server_state>& state, tcp_socket socket, const tcp::endpoint& peer)
{
    const auto& options = state->options;
    const auto counted = state->size() - state->at(standing::turned_away).size() - state->at(standing::leaving).size();
    const bool address_full = address_has_all(*state, peer);
    if (!address_full && (counted < options.max_connections || make_room(*state))) {
        state->tasks->spawn("http session", serve_connection(state, std::move(socket), peer));
        return;
    }
    // Under TLS a refusal would cost more than serving the request.
    if (state->tls == nullptr && state->at(standing::turned_away).size() < max_turned_away) {
        auto why = address_full ? "your address has its " + std::to_string(options.max_connections_per_address) + " connections"
                                : "the server has its " + std::to_string(options.max_connections) + " connections";
        state->tasks->spawn("http refusal", turn_away(state, std::move(socket), peer, std::move(why)));
    }
}

/// Limits concurrent handshakes: each costs the I/O thread about a millisecond and delays all other connections.
task<> wait_for_handshakes(std::shared_ptr<server_state> state, std::shared_ptr<acceptor> from)
{
    const auto all_taken = [&state] { return state->tls && state->at(standing::handshake).size() >= state->options.max_handshakes; };
    while (from->is_open() && all_taken()) {
        boost::system::error_code failed;
        co_await from->async_wait(acceptor::wait_read, asio::redirect_error(use_task, failed));
        if (failed || !all_taken())
            co_return;
        auto* const slowest = oldest(*state, standing::handshake);
        if (state->time.steady_now() - slowest->opened() >= handshake_grace)
            slowest->evict();
        else
            co_await state->time.wait_for(handshake_pause);
    }
}

task<> accept_loop(std::shared_ptr<server_state> state, std::shared_ptr<acceptor> from)
{
    while (from->is_open()) {
        co_await wait_for_handshakes(state, from);
        tcp::endpoint peer;
        boost::system::error_code failed;
        auto socket = co_await from->async_accept(peer, asio::redirect_error(use_task, failed));
        if (!failed) {
            begin_session(state, std::move(socket), peer);
        } else if (failed != asio::error::operation_aborted && failed != asio::error::connection_aborted) {
            state->log.warning("cannot accept a connection", {{"what", failed.message()}});
            if (failed == asio::error::no_descriptors)
                make_room(*state);
            co_await state->time.wait_for(accept_pause);
        }
    }
}

task<> sweep_loop(std::shared_ptr<server_state> state)
{
    while (true) {
        co_await state->time.wait_for(state->options.sweep_interval);
        const auto now = state->time.steady_now();
        for (auto& standing : state->standings)
            for (auto* each : standing)
                each->sweep(now);
    }
}

}    // namespace

server_state::server_state(io_executor the_executor, timers& the_time, logger& the_log, handler& the_answers, server_options the_options)
    : executor(the_executor)
    , time(the_time)
    , log(the_log)
    , answers(the_answers)
    , options(the_options)
    , drain(the_executor)
    , messages(std::make_shared<message_budget>(message_budget{the_options.max_messages_bytes, 0}))
    , looked_after(std::make_shared<pulse>(the_executor, the_time))
    , warned_of_fullness(the_time.steady_now() - warn_every)
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

std::size_t server_state::size() const
{
    std::size_t all = 0;
    for (const auto& each : standings)
        all += each.size();
    return all;
}

std::string network_of(const asio::ip::address& address)
{
    if (address.is_v4())
        return address.to_string();
    if (address.to_v6().is_v4_mapped())
        return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).to_string();
    const auto bytes = address.to_v6().to_bytes();
    return "/64" + std::string(bytes.begin(), bytes.begin() + 8);
}

std::string server_state::next_request_id()
{
    constexpr std::size_t least_digits = 8;
    std::array<char, 16> digits{};
    const auto* const end = std::to_chars(digits.data(), digits.data() + digits.size(), ++last_id_, 16).ptr;
    const auto size = static_cast<std::size_t>(end - digits.data());
    std::string id;
    id.reserve(id_prefix_.size() + std::max(size, least_digits));
    id += id_prefix_;
    id.append(least_digits - std::min(size, least_digits), '0');
    id.append(digits.data(), size);
    return id;
}

std::string endpoint::url() const
{
    const auto host = address.find(':') == std::string::npos ? address : "[" + address + "]";
    return (encrypted ? "https://" : "http://") + host + ":" + std::to_string(port);
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
        upkeep.spawn("websocket pings", pulse::run(state->looked_after));
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
            // "localhost" may resolve to an address family that this machine lacks: try the next address.
            if (why == asio::error::address_in_use || why == asio::error::access_denied)
                return last;
            continue;
        }
        set_options(*socket, impl_->state->options.write_timeout);
        port = socket->local_endpoint().port();
        out.push_back({where.address().to_string(), port, impl_->state->tls != nullptr});
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
    for (auto& standing : state.standings)
        for (auto* each : standing)
            each->close_if_idle();
    state.drain.notify_all();
    co_await with_deadline(state.time, deadline, impl_->sessions.wait_idle());
    co_await impl_->sessions.stop();
    co_await impl_->upkeep.stop();
}

void server::set_tls(std::shared_ptr<const tls_context> with) { impl_->state->tls = std::move(with); }

void server::set_owner_bounds(owner_bounds bounds) { impl_->state->owners.bounds = bounds; }

std::size_t server::connections() const { return impl_->state->size(); }

}    // namespace caisson::net

#include "adapters/net/connection.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/completion_condition.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/write.hpp>

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace caisson::net {

namespace {

bool is_reset(int socket)
{
    ::pollfd one{socket, 0, 0};
    return ::poll(&one, 1, 0) > 0 && (one.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0;
}

constexpr std::size_t least_input_bytes = 64 * 1024;
constexpr std::size_t send_bytes = 1 << 20;              // limit of one sendmsg
constexpr std::size_t max_lingering_bytes = 16 << 20;    // of a refused body that the client still sends

}    // namespace

std::string text_of(const tcp::endpoint& of)
{
    const auto address = of.address().to_string();
    return (of.address().is_v6() ? "[" + address + "]" : address) + ":" + std::to_string(of.port());
}

connection::connection(std::shared_ptr<server_state> state, tcp_socket socket, const tcp::endpoint& peer)
    : state_(std::move(state))
    , stream_(any_socket(std::move(socket)))
    , peer_(text_of(peer))
    , address_(state_->options.max_connections_per_address == 0 ? std::string() : network_of(peer.address()))
    , opened_(state_->time.steady_now())
    , input_(std::max(least_input_bytes, state_->options.max_request_line_bytes + state_->options.max_header_bytes + 64))
{
    auto& all = state_->at(standing_);
    place_ = all.insert(all.end(), this);
    if (!address_.empty())
        ++state_->by_address[address_];
}

connection::~connection()
{
    state_->at(standing_).erase(place_);
    if (const auto found = state_->by_address.find(address_); found != state_->by_address.end() && --found->second == 0)
        state_->by_address.erase(found);
}

/// The oldest is at the front: a connection keeps its place while its standing is unchanged.
void connection::stand(standing where)
{
    if (where == standing_ || standing_ == standing::leaving || standing_ == standing::turned_away)
        return;
    auto& to = state_->at(where);
    to.splice(to.end(), state_->at(standing_), place_);
    standing_ = where;
}

standing connection::standing_in(phase what) const
{
    switch (what) {
    case phase::handshake: return standing::handshake;
    case phase::idle: return served_ ? standing::idle : standing::newcomer;
    case phase::lingering: return standing::idle;
    case phase::handling: return standing::busy;
    case phase::reading:
    case phase::writing: break;
    }
    if (owner_)
        return standing::busy;
    return served_ ? standing::stranger : standing::newcomer;
}

void connection::begin_request() { owner_.reset(); }

result<void> connection::mark_authenticated(std::string_view owner)
{
    if (!owner_ || owner_->owner() != owner) {
        auto& book = state_->owners;
        if (!book.has_room(owner))
            return error{
                errc::quota_exceeded, "your tenant has all the " + std::to_string(book.bounds.connections) +
                                          " connections that one tenant may use at once; end some of its streams, or wait for answers"};
        owner_.emplace(book, owner);
    }
    stand(standing_in(phase_));
    return {};
}

void connection::turn_away() { stand(standing::turned_away); }

void connection::evict()
{
    stand(standing::leaving);
    close();
}

void connection::handling()
{
    phase_ = phase::handling;
    served_ = true;
    stand(standing::busy);
}

void connection::wait_for(phase what, std::chrono::milliseconds limit)
{
    phase_ = what;
    deadline_ = state_->time.steady_now() + limit;
    stand(standing_in(what));
}

void connection::sweep(steady_time now)
{
    if (phase_ == phase::handling || now < deadline_)
        return;
    if (phase_ != phase::reading)
        return close();
    timed_out_ = true;
    stream_.cancel();
}

void connection::close()
{
    broken_ = true;
    stream_.close();
}

void connection::close_if_idle()
{
    if (phase_ == phase::idle && input_.empty() && !stream_.has_input())
        close();
}

/// Asio may report a socket as readable because of an event of an earlier, closed socket. The peek must therefore not block: a
/// blocking receive would stall the whole server.
task<std::optional<char>> connection::first_byte()
{
    auto& socket = stream_.socket();
    while (true) {
        boost::system::error_code failed;
        co_await socket.async_wait(any_socket::wait_read, asio::redirect_error(use_task, failed));
        if (failed || broken_)
            co_return std::nullopt;
        char byte = 0;
        const auto count = ::recv(socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
        if (count == 1)
            co_return byte;
        if (count == 0 || (errno != EAGAIN && errno != EINTR))
            co_return std::nullopt;
    }
}

task<bool> connection::secure(std::shared_ptr<const tls_context> with)
{
    if (broken_)
        co_return false;
    stream_.start_tls(std::move(with));
    boost::system::error_code failed;
    co_await stream_.async_handshake(asio::redirect_error(use_task, failed));
    if (failed && !broken_) {
        state_->log.debug("a TLS handshake failed", {{"peer", peer_}, {"what", stream_.tls()->failure()}});
        close();
    }
    co_return !broken_;
}

task<bool> connection::read_more()
{
    if (ended_ || broken_ || timed_out_)
        co_return false;
    const auto room = input_.prepare();
    boost::system::error_code failed;
    const auto count = co_await stream_.async_read_some(asio::buffer(room.data(), room.size()), asio::redirect_error(use_task, failed));
    input_.commit(count);
    if (failed && !timed_out_)
        ended_ = true;
    co_return !failed;
}

struct connection::write_progress {
    std::size_t operator()(const boost::system::error_code& failed, std::size_t) const
    {
        of->deadline_ = of->state_->time.steady_now() + of->state_->options.write_timeout;
        return failed ? 0 : send_bytes;
    }
    connection* of;
};

task<bool> connection::write(std::string_view first, std::string_view second, std::string_view third)
{
    if (broken_)
        co_return false;
    const auto before = phase_;
    wait_for(phase::writing, state_->options.write_timeout);
    const std::array<asio::const_buffer, 3> buffers{asio::buffer(first), asio::buffer(second), asio::buffer(third)};
    const write_progress progress{this};
    boost::system::error_code failed;
    co_await asio::async_write(stream_, buffers, progress, asio::redirect_error(use_task, failed));
    phase_ = before;
    stand(standing_in(before));
    if (failed)
        close();
    co_return !failed;
}

std::size_t connection::write_now(std::string_view first, std::string_view second)
{
    if (broken_ || stream_.encrypted())
        return 0;
    const auto part = [](std::string_view bytes) { return ::iovec{const_cast<char*>(bytes.data()), bytes.size()}; };
    std::array<::iovec, 2> parts{part(first), part(second)};
    ::msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    const auto sent = ::sendmsg(stream_.socket().native_handle(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    return static_cast<std::size_t>(std::max<::ssize_t>(sent, 0));
}

task<wait_end> connection::peer_gone()
{
    while (!ended_ && !broken_) {
        boost::system::error_code failed;
        if (input_.full()) {
            // The full buffer hides an orderly close, but a reset is detected.
            auto& socket = stream_.socket();
            co_await socket.async_wait(any_socket::wait_error, asio::redirect_error(use_task, failed));
            ended_ = is_reset(socket.native_handle());
        } else {
            const auto room = input_.prepare();
            const auto count =
                co_await stream_.async_read_some(asio::buffer(room.data(), room.size()), asio::redirect_error(use_task, failed));
            input_.commit(count);
        }
        if (failed == asio::error::operation_aborted && !ended_ && !broken_)
            co_return wait_end::cancelled;
        ended_ = ended_ || failed;
    }
    co_return wait_end::came;
}

task<> connection::linger()
{
    if (broken_)
        co_return;
    stream_.shutdown_send();
    wait_for(phase::lingering, state_->options.linger_timeout);
    timed_out_ = false;
    std::size_t dropped = 0;
    while (dropped < max_lingering_bytes) {
        dropped += input_.view().size();
        input_.consume(input_.view().size());
        if (!co_await read_more())
            break;
    }
    close();
}

stream connection::take_stream()
{
    broken_ = true;
    input_.drop();
    return std::move(stream_);
}

std::size_t connection::share_bytes() const
{
    constexpr std::uint64_t least = 16 << 10;
    constexpr std::uint64_t most = 4 << 20;
    return static_cast<std::size_t>(
        std::clamp(state_->options.max_streams_bytes / std::max<std::uint64_t>(1, state_->size()), least, most));
}

}    // namespace caisson::net

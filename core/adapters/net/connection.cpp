#include "core/adapters/net/connection.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/completion_condition.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/write.hpp>

#include <array>

namespace caisson::net {

namespace {

constexpr std::size_t least_input_bytes = 64 * 1024;
constexpr std::size_t send_bytes = 1 << 20;              // of one sendmsg
constexpr std::size_t max_lingering_bytes = 16 << 20;    // of a body that was refused and comes nevertheless

}    // namespace

connection::connection(std::shared_ptr<server_state> state, tcp_socket socket, std::string peer)
    : state_(std::move(state))
    , socket_(std::move(socket))
    , peer_(std::move(peer))
    , input_(std::max(least_input_bytes, state_->options.max_request_line_bytes + state_->options.max_header_bytes + 64))
    , place_(state_->connections.insert(state_->connections.end(), this))
{
}

connection::~connection() { state_->connections.erase(place_); }

void connection::wait_for(phase what, std::chrono::milliseconds limit)
{
    phase_ = what;
    deadline_ = state_->time.steady_now() + limit;
}

void connection::sweep(steady_time now)
{
    if (phase_ == phase::handling || now < deadline_)
        return;
    if (phase_ != phase::reading)
        return close();
    timed_out_ = true;
    boost::system::error_code ignored;
    socket_.cancel(ignored);
}

void connection::close()
{
    broken_ = true;
    boost::system::error_code ignored;
    socket_.close(ignored);
}

void connection::close_if_idle()
{
    boost::system::error_code ignored;
    if (phase_ == phase::idle && input_.empty() && socket_.available(ignored) == 0)
        close();
}

task<bool> connection::read_more()
{
    if (ended_ || broken_ || timed_out_)
        co_return false;
    const auto room = input_.prepare();
    boost::system::error_code failed;
    const auto count = co_await socket_.async_read_some(asio::buffer(room.data(), room.size()), asio::redirect_error(use_task, failed));
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
    co_await asio::async_write(socket_, buffers, progress, asio::redirect_error(use_task, failed));
    phase_ = before;
    if (failed)
        close();
    co_return !failed;
}

task<> connection::peer_gone()
{
    while (!ended_ && !broken_) {
        boost::system::error_code failed;
        if (input_.full()) {
            // More cannot be held, so an orderly close is not seen; a reset is.
            co_await socket_.async_wait(tcp_socket::wait_error, asio::redirect_error(use_task, failed));
            ended_ = true;
            continue;
        }
        const auto room = input_.prepare();
        const auto count = co_await socket_.async_read_some(asio::buffer(room.data(), room.size()), asio::redirect_error(use_task, failed));
        input_.commit(count);
        if (failed)
            ended_ = failed != asio::error::operation_aborted || broken_;
        if (failed && !ended_)
            throw boost::system::system_error(failed);
    }
}

task<> connection::linger()
{
    boost::system::error_code failed;
    if (broken_)
        co_return;
    socket_.shutdown(tcp_socket::shutdown_send, failed);
    wait_for(phase::lingering, state_->options.linger_timeout);
    timed_out_ = false;
    std::size_t dropped = 0;
    while (!failed && dropped < max_lingering_bytes) {
        dropped += input_.view().size();
        input_.consume(input_.view().size());
        if (!co_await read_more())
            break;
    }
    close();
}

tcp_socket connection::take_socket()
{
    broken_ = true;
    return std::move(socket_);
}

}    // namespace caisson::net

#include "core/protocol/unix_stream.hpp"

#include "core/protocol/stream_failure.hpp"

#include "core/protocol/descriptor_message.hpp"
#include "core/protocol/write_cursor.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/system/system_error.hpp>

#include <cerrno>
#include <sys/socket.h>

namespace caisson::protocol {

namespace {

class unix_stream final : public byte_stream {
public:
    unix_stream(io_executor executor, unique_fd connected) : socket_(executor)
    {
        socket_.assign(asio::local::stream_protocol(), connected.get());
        static_cast<void>(connected.release());
        socket_.native_non_blocking(true);
    }

    task<std::size_t> read_some(std::span<char> into) override;
    task<> write(std::span<const std::string_view> parts, std::span<const int> fds) override;
    bool carries_descriptors() const override { return true; }
    void close() noexcept override
    {
        boost::system::error_code ignored;
        socket_.close(ignored);
    }

private:
    asio::basic_stream_socket<asio::local::stream_protocol, io_executor> socket_;
};

task<std::size_t> unix_stream::read_some(std::span<char> into)
{
    const auto outcome = co_await socket_.async_read_some(asio::buffer(into.data(), into.size()), asio::as_tuple(use_task));
    const auto& [failure, count] = outcome;
    if (failure == asio::error::operation_aborted && !socket_.is_open())    // after close(): reported as the end
        co_return 0;
    if (failure && failure != asio::error::eof)
        throw boost::system::system_error(failure, "read");
    co_return count;
}

task<> unix_stream::write(std::span<const std::string_view> parts, std::span<const int> fds)
{
    if (fds.size() > max_spawn_descriptors)
        throw_errno(E2BIG, "descriptors");
    write_cursor left(parts);
    while (!left.done()) {
        if (!socket_.is_open())
            throw_errno(ECANCELED, "write");
        const auto pieces = left.pieces();
        msghdr message{};
        message.msg_iov = pieces.data();
        message.msg_iovlen = pieces.size();
        descriptor_message passed;
        if (!fds.empty())
            passed.attach_to(message, fds);
        const auto sent = ::sendmsg(socket_.native_handle(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent >= 0) {
            left.advance(static_cast<std::size_t>(sent));
            fds = {};
        } else if (errno == EAGAIN) {
            co_await socket_.async_wait(asio::socket_base::wait_write, use_task);
        } else if (errno != EINTR) {
            throw_errno(errno, "sendmsg");
        }
    }
}

}    // namespace

std::unique_ptr<byte_stream> make_unix_stream(io_executor executor, unique_fd connected)
{
    return std::make_unique<unix_stream>(executor, std::move(connected));
}

}    // namespace caisson::protocol

#include "core/protocol/pipe_stream.hpp"

#include "core/protocol/stream_failure.hpp"

#include "core/protocol/write_cursor.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/system/system_error.hpp>

#include <cerrno>
#include <sys/uio.h>
#include <unistd.h>

namespace caisson::protocol {

namespace {

using descriptor = asio::posix::basic_stream_descriptor<io_executor>;

void adopt(descriptor& into, unique_fd from)
{
    into.assign(from.get());
    static_cast<void>(from.release());
    into.native_non_blocking(true);
}

class pipe_stream final : public byte_stream {
public:
    pipe_stream(io_executor executor, unique_fd read, unique_fd write) : in_(executor), out_(executor)
    {
        adopt(in_, std::move(read));
        adopt(out_, std::move(write));
    }

    task<std::size_t> read_some(std::span<char> into) override;
    task<> write(std::span<const std::string_view> parts, std::span<const int> fds) override;
    bool carries_descriptors() const override { return false; }
    void close() noexcept override
    {
        boost::system::error_code ignored;
        in_.close(ignored);
        out_.close(ignored);
    }

private:
    descriptor in_;
    descriptor out_;
};

task<std::size_t> pipe_stream::read_some(std::span<char> into)
{
    const auto outcome = co_await in_.async_read_some(asio::buffer(into.data(), into.size()), asio::as_tuple(use_task));
    const auto& [failure, count] = outcome;
    if (failure == asio::error::operation_aborted && !in_.is_open())    // after close(): reported as the end
        co_return 0;
    if (failure && failure != asio::error::eof)
        throw boost::system::system_error(failure, "read");
    co_return count;
}

task<> pipe_stream::write(std::span<const std::string_view> parts, std::span<const int> fds)
{
    if (!fds.empty())
        throw boost::system::system_error(boost::system::errc::make_error_code(boost::system::errc::not_supported), "descriptors");
    write_cursor left(parts);
    while (!left.done()) {
        if (!out_.is_open())
            throw_errno(ECANCELED, "write");
        const auto pieces = left.pieces();
        const auto sent = ::writev(out_.native_handle(), pieces.data(), static_cast<int>(pieces.size()));
        if (sent >= 0)
            left.advance(static_cast<std::size_t>(sent));
        else if (errno == EAGAIN)
            co_await out_.async_wait(descriptor::wait_write, use_task);
        else if (errno != EINTR)
            throw_errno(errno, "writev");
    }
}

}    // namespace

std::unique_ptr<byte_stream> make_pipe_stream(io_executor executor, unique_fd read, unique_fd write)
{
    return std::make_unique<pipe_stream>(executor, std::move(read), std::move(write));
}

}    // namespace caisson::protocol

#include "app/agent/connection.hpp"

#include "app/agent/control_socket.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace caisson::agent {

namespace {

constexpr std::size_t read_bytes = 64 * 1024;
constexpr std::size_t resting_bytes = 4 * 1024;

}    // namespace

connection::connection(kind which, unique_fd in, unique_fd out)
    : kind_(which)
    , decoder_(read_bytes, which == kind::stdio ? protocol::frame_decoder::markers::anywhere : protocol::frame_decoder::markers::at_start)
{
    in_.fd = std::move(in);
    out_.fd = std::move(out);
    set_nonblocking(in_.fd.get());
    if (out_.fd)
        set_nonblocking(out_.fd.get());
}

bool connection::read()
{
    const auto room = decoder_.prepare();
    const int fd = in_.fd.get();
    const auto got = kind_ == kind::socket ? receive(fd, room, 0, descriptors_) : ::read(fd, room.data(), room.size());
    if (got > 0)
        decoder_.commit(static_cast<std::size_t>(got));
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

void connection::drop_output()
{
    output_.clear();
    written_ = 0;
}

bool connection::flush()
{
    const int fd = out_.fd ? out_.fd.get() : in_.fd.get();
    while (has_output()) {
        const auto done = ::write(fd, output_.data() + written_, output_.size() - written_);
        if (done < 0 && errno == EAGAIN)
            return true;
        if (done < 0 && errno != EINTR)
            return false;
        if (done > 0)
            written_ += static_cast<std::size_t>(done);
    }
    drop_output();
    return true;
}

void connection::rest()
{
    if (!has_output() && output_.capacity() > resting_bytes)
        output_ = {};
}

bool connection::watch(poller& events, source as)
{
    const std::uint32_t room = has_output() ? EPOLLOUT : 0U;
    if (!out_.fd)
        return events.want(in_, as, 0, EPOLLIN | room);
    return events.want(in_, as, 0, EPOLLIN) && events.want(out_, source::link_out, 0, room);
}

void connection::close(poller& events)
{
    events.drop(in_);
    events.drop(out_);
}

}    // namespace caisson::agent

#include "app/agent/server_link.hpp"

#include <algorithm>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>

namespace caisson::agent {

namespace {

constexpr std::size_t output_bytes = 256 * 1024;    // encoded per turn
constexpr std::int64_t first_pause_ms = 10;         // between tries to reach a server
constexpr std::int64_t longest_pause_ms = 1000;
constexpr std::int64_t first_lease_ms = 10 * 60 * 1000;    // until the first server connects

/// Empty if no server listens there, or its backlog is full.
unique_fd connected_to(const char* path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
    unique_fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket || ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
        return {};
    return socket;
}

}    // namespace

bool server_link::open()
{
    last_heard_ms_ = monotonic_ms();
    if (options_.listen_fd >= 0) {
        listener_.fd.reset(options_.listen_fd);
        return events_.want(listener_, source::listener, 0, EPOLLIN);
    }
    if (options_.connect_to) {
        dial();
        return true;
    }
    current_ = std::make_unique<connection>(connection::kind::stdio, unique_fd(options_.stdio_in), unique_fd(options_.stdio_out));
    return current_->watch(events_, source::link_in);
}

void server_link::accept()
{
    unique_fd accepted(::accept4(listener_.fd.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (accepted)
        take_candidate(std::move(accepted));
}

void server_link::dial()
{
    const auto now = monotonic_ms();
    if (!may_dial() || now < dial_at_ms_)
        return;
    dial_pause_ms_ = std::clamp(2 * dial_pause_ms_, first_pause_ms, longest_pause_ms);
    dial_at_ms_ = now + dial_pause_ms_;
    if (auto socket = connected_to(options_.connect_to))
        take_candidate(std::move(socket));
}

void server_link::take_candidate(unique_fd connected)
{
    drop(candidate_);
    candidate_ = std::make_unique<connection>(connection::kind::socket, std::move(connected), unique_fd());
    if (!candidate_->watch(events_, source::candidate))
        drop(candidate_);
}

void server_link::handle(std::unique_ptr<connection>& from, bool readable)
{
    if (!from)
        return;
    auto* const which = from.get();
    bool alive = !readable || which->read();
    if (readable && alive)
        alive = handle_frames(*which);
    if (!alive)
        drop(is_current(*which) ? current_ : candidate_);
}

/// False if the connection must be dropped.
bool server_link::handle_frames(connection& from)
{
    protocol::frame_view frame;
    for (;;) {
        switch (from.decoder().next(frame)) {
        case protocol::decode_status::need_more: return true;
        case protocol::decode_status::opened: from.greeting = true; break;
        case protocol::decode_status::frame:
            if (on_frame(from, frame))
                break;
            [[fallthrough]];
        case protocol::decode_status::broken:
            if (!from.is_stdio())
                return false;
            session_.break_off(from.output());
            from.decoder().resync();
        }
    }
}

bool server_link::on_frame(connection& from, const protocol::frame_view& frame)
{
    if (from.greeting)
        return on_hello(from, frame);
    if (!is_current(from) || !session_.is_open())
        return false;
    last_heard_ms_ = monotonic_ms();
    session_.add_descriptors(from.take_descriptors());
    return session_.on_frame(frame);
}

bool server_link::on_hello(connection& from, const protocol::frame_view& frame)
{
    from.greeting = false;
    protocol::hello server;
    if (frame.type != protocol::frame_type::hello || !protocol::decode(frame.body, server))
        return false;
    std::string answer;
    if (!session_.open(server, answer)) {
        if (from.is_stdio())    // the current server reads this stream
            return true;
        from.output() = answer;
        from.flush();
        return false;
    }
    greeted_ = true;
    last_heard_ms_ = monotonic_ms();
    dial_at_ms_ = dial_pause_ms_ = 0;
    from.drop_output();
    from.output() = std::move(answer);
    if (!is_current(from)) {
        from.unwatch(events_);
        if (current_)
            current_->close(events_);
        current_ = std::move(candidate_);
    }
    return true;
}

void server_link::drop(std::unique_ptr<connection>& which)
{
    if (!which)
        return;
    if (is_current(*which)) {
        session_.close();
        last_heard_ms_ = monotonic_ms();
        is_over_ = is_over_ || which->is_stdio();
    }
    which->close(events_);
    which.reset();
}

void server_link::pump()
{
    while (current_ && (session_.is_open() || current_->has_output())) {
        if (!current_->has_output())
            session_.emit(current_->output(), output_bytes);
        if (!current_->has_output())
            return;
        if (!current_->flush())
            return drop(current_);
        if (current_->has_output())
            return;
    }
}

void server_link::rest()
{
    if (current_)
        current_->rest();
}

std::int64_t server_link::lease_end_ms() const
{
    if (session_.is_open() && !current_->is_stdio())
        return -1;
    constexpr auto longest = std::uint64_t{1} << 40;
    return last_heard_ms_ + (greeted_ ? static_cast<std::int64_t>(std::min(session_.lease_ms(), longest)) : first_lease_ms);
}

std::int64_t server_link::next_deadline_ms() const
{
    const std::int64_t lease = lease_end_ms();
    return may_dial() && (lease < 0 || dial_at_ms_ < lease) ? dial_at_ms_ : lease;
}

}    // namespace caisson::agent

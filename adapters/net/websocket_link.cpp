#include "adapters/net/websocket_link.hpp"

#include "core/base/utf8.hpp"

#include <algorithm>

namespace caisson::net {

namespace {

constexpr std::size_t max_reason_bytes = 123;
// Clients send little, and there are many of them.
constexpr std::size_t server_idle_bytes = 256;
constexpr std::size_t server_read_bytes = 8 * 1024;
constexpr std::size_t client_read_bytes = 128 * 1024;
constexpr std::size_t client_write_bytes = 64 * 1024;    // masked before they are sent
/// A connection may hold this much even if the budget is exceeded, so that ordinary frames always get through.
constexpr std::size_t unquestioned_bytes = 64 * 1024;
/// The least progress of a message in each ping interval.
constexpr std::size_t least_progress_bytes = 16 * 1024;

}    // namespace

websocket_link::websocket_link(stream from, side of, websocket_options the_options, const websocket_host& host)
    : socket(std::move(from), of == side::server, the_options.max_message_bytes)
    , options(std::move(the_options))
    , time(*host.time)
    , room(of == side::server ? read_room(server_idle_bytes, server_read_bytes) : read_room(client_read_bytes, client_read_bytes))
    , to_write(socket.get_executor())
    , written(socket.get_executor())
    , arrived(socket.get_executor())
    , budget_(host.messages)
{
    if (host.looked_after)
        place_.emplace(host.looked_after, *this);
    socket.auto_fragment(false);
    socket.read_message_max(options.max_message_bytes);
    if (of == side::client)
        socket.write_buffer_bytes(client_write_bytes);
    socket.control_callback([this](beast::websocket::frame_type kind, beast::string_view) {
        heard = true;
        if (kind == beast::websocket::frame_type::close)    // Beast's answer repeats the peer's code
            socket.next_layer().adds_no_reasons();
    });
}

websocket_link::~websocket_link()
{
    if (budget_)
        budget_->used -= held_;
}

void websocket_link::finish()
{
    now = state::closed;
    if (place_)
        place_->stop();
    beast::get_lowest_layer(socket).close();
    for (auto* each : {&to_write, &written, &arrived})
        each->notify_all();
}

void websocket_link::begin_close(std::uint16_t code, std::string reason)
{
    close_with = code;
    reason.resize(std::min(reason.size(), max_reason_bytes));
    reason.resize(reason.size() - incomplete_utf8_tail(reason));
    close_reason = std::move(reason);
    now = state::closing;
    for (auto* each : {&to_write, &written, &arrived})
        each->notify_all();
}

bool websocket_link::push(outgoing one)
{
    if (now != state::open)
        return false;
    queued_bytes += one.cost();
    queue.push_back(std::move(one));
    if (queued_bytes > options.max_queued_bytes) {
        finish();
        return false;
    }
    to_write.notify_all();
    return true;
}

void websocket_link::drop_unsent()
{
    while (queue.size() > (writing_since ? 1 : 0)) {
        queued_bytes -= queue.back().cost();
        queue.pop_back();
    }
}

bool websocket_link::count_held()
{
    const auto holds = inbox_bytes_ + message_.capacity();
    if (!budget_)
        return true;
    budget_->used += holds - held_;
    held_ = holds;
    return holds <= unquestioned_bytes || budget_->used <= budget_->limit;
}

bool websocket_link::take(std::string_view bytes)
{
    if (now == state::open)
        message_.append(bytes);
    if (count_held())
        return true;
    std::string().swap(message_);
    count_held();
    begin_close(close_code::try_again_later, "the server holds too many messages; try again soon");
    return false;
}

void websocket_link::deliver()
{
    ++messages_;
    // Beast has validated each piece, but accepts an incomplete character before an empty last frame.
    if (now == state::open && socket.got_text() && incomplete_utf8_tail(message_) > 0) {
        std::string().swap(message_);
        begin_close(close_code::not_utf8, "a text message must be UTF-8");
    }
    if (now == state::open) {
        inbox_bytes_ += message_.capacity();
        inbox.push_back({socket.got_text() ? message_kind::text : message_kind::binary, std::exchange(message_, {})});
        arrived.notify_all();
    }
    count_held();
}

message websocket_link::next_message()
{
    auto out = std::move(inbox.front());
    inbox.pop_front();
    inbox_bytes_ -= out.data.capacity();
    count_held();
    if (reading_paused)
        arrived.notify_all();
    return out;
}

void websocket_link::keep_reason()
{
    const auto& reason = socket.reason();
    peer_code = reason.code == 0 ? close_code::no_status : reason.code;
    peer_reason = std::string(reason.reason.data(), reason.reason.size());
}

void websocket_link::read_ended(const boost::system::error_code& why)
{
    const bool closed_by_peer = why == beast::websocket::error::closed;
    if (closed_by_peer)
        keep_reason();
    // While closing, the writer completes the close handshake that it began.
    if (!closed_by_peer || now == state::open)
        finish();
}

bool websocket_link::looked_after()
{
    if (place_ && options.ping_interval.count() > 0)
        place_->start(first_beat());
    return place_ || options.ping_interval.count() <= 0;
}

std::optional<steady_time> websocket_link::beat()
{
    const auto rest = std::max(options.ping_interval - options.pong_timeout, std::chrono::milliseconds(0));
    if (ping_sent && (stalled() || dribbles())) {
        finish();
        return std::nullopt;
    }
    ping_sent = !ping_sent || rest.count() == 0;
    if (!ping_sent)
        return time.steady_now() + rest;
    heard = false;
    ping_wanted = true;
    to_write.notify_all();
    return time.steady_now() + options.pong_timeout;
}

bool websocket_link::dribbles()
{
    const bool same = !message_.empty() && message_seen_ == messages_;
    const bool slow = same && message_.size() - bytes_seen_ < least_progress_bytes;
    message_seen_ = message_.empty() ? UINT64_MAX : messages_;
    bytes_seen_ = message_.size();
    return slow;
}

bool websocket_link::stalled() const
{
    if (heard)
        return false;
    if (writing_since)
        return time.steady_now() - *writing_since >= options.write_timeout;
    return !reading_paused;
}

}    // namespace caisson::net

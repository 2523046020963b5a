#include "adapters/net/websocket_link.hpp"

#include <utility>

namespace caisson::net {

namespace {

// Clients send little, and there are many of them.
constexpr std::size_t server_idle_bytes = 256;
constexpr std::size_t server_read_bytes = 8 * 1024;
constexpr std::size_t client_read_bytes = 128 * 1024;
constexpr std::size_t client_write_bytes = 64 * 1024;    // masked before they are sent

}    // namespace

websocket_link::websocket_link(stream from, side of, websocket_options the_options, const websocket_host& host)
    : socket(std::move(from), of == side::server, the_options.max_message_bytes)
    , options(std::move(the_options))
    , time(*host.time)
    , room(of == side::server ? read_room(server_idle_bytes, server_read_bytes) : read_room(client_read_bytes, client_read_bytes))
    , outbox(options.max_queued_bytes)
    , inbox(host.messages, options.max_inbox_messages)
    , heart(options)
    , to_write(socket.get_executor())
    , written(socket.get_executor())
    , arrived(socket.get_executor())
{
    if (host.looked_after)
        place_.emplace(host.looked_after, *this);
    socket.auto_fragment(false);
    socket.read_message_max(options.max_message_bytes);
    if (of == side::client)
        socket.write_buffer_bytes(client_write_bytes);
    socket.control_callback([this](beast::websocket::frame_type kind, beast::string_view) {
        heart.note_activity();
        if (kind == beast::websocket::frame_type::close)    // Beast's answer repeats the peer's code
            socket.next_layer().adds_no_reasons();
    });
}

void websocket_link::wake_all()
{
    for (auto* each : {&to_write, &written, &arrived})
        each->notify_all();
}

void websocket_link::finish()
{
    closing.finish();
    if (place_)
        place_->stop();
    beast::get_lowest_layer(socket).close();
    wake_all();
}

void websocket_link::begin_close(std::uint16_t code, std::string reason)
{
    closing.begin(code, std::move(reason));
    wake_all();
}

bool websocket_link::push(outgoing one)
{
    if (!closing.is_open())
        return false;
    if (!outbox.push(std::move(one))) {
        finish();
        return false;
    }
    to_write.notify_all();
    return true;
}

bool websocket_link::take(std::string_view bytes)
{
    if (inbox.append(closing.is_open() ? bytes : std::string_view()))
        return true;
    begin_close(close_code::try_again_later, "the server holds too many messages; try again soon");
    return false;
}

void websocket_link::deliver()
{
    heart.note_message();
    if (!closing.is_open())
        return;
    // Beast has validated each piece, but accepts an incomplete character before an empty last frame.
    if (socket.got_text() && inbox.is_cut_in_character()) {
        inbox.drop_current();
        return begin_close(close_code::not_utf8, "a text message must be UTF-8");
    }
    inbox.deliver(socket.got_text() ? message_kind::text : message_kind::binary);
    arrived.notify_all();
}

message websocket_link::next_message()
{
    auto out = inbox.take_front();
    if (reading_paused)
        arrived.notify_all();
    return out;
}

void websocket_link::keep_reason()
{
    const auto& reason = socket.reason();
    closing.heard(reason.code, std::string(reason.reason.data(), reason.reason.size()));
}

void websocket_link::read_ended(const boost::system::error_code& why)
{
    const bool closed_by_peer = why == beast::websocket::error::closed;
    if (closed_by_peer)
        keep_reason();
    // While closing, the writer completes the close handshake that it began.
    if (!closed_by_peer || closing.is_open())
        finish();
}

bool websocket_link::looked_after()
{
    if (place_ && heart.is_enabled())
        place_->start(first_beat());
    return place_ || !heart.is_enabled();
}

std::optional<steady_time> websocket_link::beat()
{
    const auto next = heart.beat(time.steady_now(), {inbox.current_bytes(), outbox.sending_since(), reading_paused});
    if (!next)
        finish();
    else if (heart.ping_due())
        to_write.notify_all();
    return next;
}

}    // namespace caisson::net

#include "core/adapters/net/websocket_stream.hpp"

#include "core/adapters/net/client_connection.hpp"
#include "core/async/deadline.hpp"
#include "core/async/notifier.hpp"
#include "core/base/utf8.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/websocket/stream.hpp>

#include <array>
#include <deque>

namespace caisson::net {

namespace {

namespace beast = boost::beast;

constexpr std::size_t bytes_per_message = 64;    // what a queued message costs besides its own bytes
constexpr std::size_t max_reason_bytes = 123;
constexpr std::size_t server_read_bytes = 8 * 1024;    // clients say little, and there are many
constexpr std::size_t client_read_bytes = 128 * 1024;
constexpr std::size_t client_write_bytes = 64 * 1024;    // masked before they are sent

enum class side { server, client };

struct outgoing {
    message_kind kind;
    std::string prefix;
    shared_bytes payload;
    std::size_t cost() const { return prefix.size() + payload.size() + bytes_per_message; }
};

/// The stream and the queues around it; held by the websocket object and by its two background tasks.
struct link {
    link(tcp_socket socket, side of, websocket_options the_options, timers& the_time);

    void finish();
    bool push(outgoing one);
    void deliver(std::string data);
    void keep_reason();
    void read_ended(const boost::system::error_code& why);
    bool stalled() const;

    beast::websocket::stream<tcp_socket, false> stream;
    const websocket_options options;
    timers& time;
    const std::size_t read_bytes;

    enum class state { open, closing, closed } now = state::open;
    std::uint16_t close_with = close_code::normal;    // ours, while closing
    std::string close_reason;
    std::uint16_t peer_code = close_code::abnormal;
    std::string peer_reason;

    std::deque<outgoing> queue;    // the front is being sent
    std::size_t queued_bytes = 0;
    std::deque<message> inbox;

    bool ping_wanted = false;
    bool heard = false;             // a sign of life since the last ping
    bool reading_paused = false;    // the inbox is full: a pong would not be seen
    std::optional<steady_time> writing_since;

    notifier to_write;    // something was queued, or a ping or close is due
    notifier written;     // the queue became shorter
    notifier arrived;     // the inbox became longer
    notifier taken;       // the inbox became shorter
};

link::link(tcp_socket socket, side of, websocket_options the_options, timers& the_time)
    : stream(std::move(socket))
    , options(std::move(the_options))
    , time(the_time)
    , read_bytes(of == side::server ? server_read_bytes : client_read_bytes)
    , to_write(stream.get_executor())
    , written(stream.get_executor())
    , arrived(stream.get_executor())
    , taken(stream.get_executor())
{
    stream.auto_fragment(false);
    stream.read_message_max(options.max_message_bytes);
    if (of == side::client)
        stream.write_buffer_bytes(client_write_bytes);
    stream.control_callback([this](beast::websocket::frame_type, beast::string_view) { heard = true; });
}

/// Cuts the connection and wakes all who wait.
void link::finish()
{
    now = state::closed;
    boost::system::error_code ignored;
    beast::get_lowest_layer(stream).close(ignored);
    for (auto* each : {&to_write, &written, &arrived, &taken})
        each->notify_all();
}

bool link::push(outgoing one)
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

void link::deliver(std::string data)
{
    if (now != state::open)
        return;
    inbox.push_back({stream.got_text() ? message_kind::text : message_kind::binary, std::move(data)});
    arrived.notify_all();
}

void link::keep_reason()
{
    const auto& reason = stream.reason();
    peer_code = reason.code == 0 ? close_code::no_status : reason.code;
    peer_reason = std::string(reason.reason.data(), reason.reason.size());
}

void link::read_ended(const boost::system::error_code& why)
{
    const bool closed_by_peer = why == beast::websocket::error::closed;
    if (closed_by_peer)
        keep_reason();
    // While closing, the writer ends the handshake that it began.
    if (!closed_by_peer || now == state::open)
        finish();
}

bool link::stalled() const
{
    if (heard || reading_paused)
        return false;
    return !writing_since || time.steady_now() - *writing_since >= options.write_timeout;
}

/// Ends the connection when a background task ends for whatever reason, cancellation and destruction included.
struct finish_at_end {
    explicit finish_at_end(std::shared_ptr<link> the_link) : of(std::move(the_link)) { }
    ~finish_at_end() { of->finish(); }
    finish_at_end(const finish_at_end&) = delete;
    finish_at_end& operator=(const finish_at_end&) = delete;
    const std::shared_ptr<link> of;
};

task<> read_loop(std::shared_ptr<link> self)
{
    const auto buffer = std::make_unique_for_overwrite<char[]>(self->read_bytes);
    std::string data;
    while (self->now != link::state::closed) {
        boost::system::error_code failed;
        const auto count =
            co_await self->stream.async_read_some(asio::buffer(buffer.get(), self->read_bytes), asio::redirect_error(use_task, failed));
        if (failed)
            co_return self->read_ended(failed);
        self->heard = true;
        data.append(buffer.get(), count);
        if (!self->stream.is_message_done())
            continue;
        self->deliver(std::exchange(data, {}));
        while (self->inbox.size() >= self->options.max_inbox_messages && self->now == link::state::open) {
            self->reading_paused = true;
            co_await self->taken.wait_past(self->taken.version());
        }
        self->reading_paused = false;
    }
}

task<> run_reader(std::shared_ptr<link> self)
{
    try {
        co_await read_loop(self);
    } catch (...) {
        self->finish();
        throw;
    }
}

task<boost::system::error_code> send_front(std::shared_ptr<link> self)
{
    const auto& front = self->queue.front();
    self->stream.binary(front.kind == message_kind::binary);
    const std::array<asio::const_buffer, 2> parts{asio::buffer(front.prefix), asio::buffer(front.payload.view())};
    boost::system::error_code failed;
    self->writing_since = self->time.steady_now();
    co_await self->stream.async_write(parts, asio::redirect_error(use_task, failed));
    self->writing_since.reset();
    self->heard = true;
    self->queued_bytes -= front.cost();
    self->queue.pop_front();
    self->written.notify_all();
    co_return failed;
}

task<boost::system::error_code> send_close(std::shared_ptr<link> self)
{
    beast::websocket::close_reason reason(self->close_with);
    reason.reason.assign(self->close_reason.data(), self->close_reason.size());
    boost::system::error_code failed;
    co_await self->stream.async_close(reason, asio::redirect_error(use_task, failed));
    if (!failed)
        self->keep_reason();
    co_return asio::error::eof;
}

task<boost::system::error_code> send_ping(std::shared_ptr<link> self)
{
    self->ping_wanted = false;
    const beast::websocket::ping_data nothing;
    boost::system::error_code failed;
    co_await self->stream.async_ping(nothing, asio::redirect_error(use_task, failed));
    co_return failed;
}

task<> write_loop(std::shared_ptr<link> self)
{
    while (self->now != link::state::closed) {
        boost::system::error_code failed;
        if (self->ping_wanted)
            failed = co_await send_ping(self);
        else if (!self->queue.empty())
            failed = co_await send_front(self);
        else if (self->now == link::state::closing)
            failed = co_await send_close(self);
        else
            co_await self->to_write.wait_past(self->to_write.version());
        if (failed)
            co_return;
    }
}

task<> keep_alive(std::shared_ptr<link> self)
{
    const auto& options = self->options;
    const auto rest = std::max(options.ping_interval - options.pong_timeout, std::chrono::milliseconds(0));
    co_await self->time.wait_for(options.ping_interval);
    while (true) {
        self->heard = false;
        self->ping_wanted = true;
        self->to_write.notify_all();
        co_await self->time.wait_for(options.pong_timeout);
        if (self->stalled())
            co_return;
        co_await self->time.wait_for(rest);
    }
}

task<> run_writer(std::shared_ptr<link> self)
{
    const finish_at_end guard(self);
    if (self->options.ping_interval.count() > 0)
        co_await race(write_loop(self), keep_alive(self));
    else
        co_await write_loop(self);
}

task<> wait_closed(std::shared_ptr<link> self)
{
    while (self->now != link::state::closed)
        co_await self->written.wait_past(self->written.version());
}

class beast_websocket final : public websocket {
public:
    beast_websocket(std::shared_ptr<link> the_link, task_group& tasks) : link_(std::move(the_link))
    {
        tasks.spawn("websocket reader", run_reader(link_));
        tasks.spawn("websocket writer", run_writer(link_));
    }
    ~beast_websocket() override { link_->finish(); }
    beast_websocket(const beast_websocket&) = delete;
    beast_websocket& operator=(const beast_websocket&) = delete;

    task<std::optional<message>> receive() override
    {
        const auto self = link_;
        while (self->inbox.empty() && self->now == link::state::open)
            co_await self->arrived.wait_past(self->arrived.version());
        if (self->inbox.empty())
            co_return std::nullopt;
        auto out = std::move(self->inbox.front());
        self->inbox.pop_front();
        self->taken.notify_all();
        co_return out;
    }

    bool send_text(std::string text) override { return link_->push({message_kind::text, std::move(text), {}}); }
    bool send_binary(std::string prefix, shared_bytes payload) override
    {
        return link_->push({message_kind::binary, std::move(prefix), std::move(payload)});
    }
    std::size_t queued_bytes() const override { return link_->queued_bytes; }

    task<> drained(std::size_t below) override
    {
        const auto self = link_;
        while (self->queued_bytes > below && self->now == link::state::open)
            co_await self->written.wait_past(self->written.version());
    }

    task<> close(std::uint16_t code, std::string reason) override
    {
        const auto self = link_;
        if (self->now != link::state::open)
            co_return co_await wait_closed(self);
        self->close_with = code;
        reason.resize(std::min(reason.size(), max_reason_bytes));
        reason.resize(reason.size() - incomplete_utf8_tail(reason));
        self->close_reason = std::move(reason);
        self->now = link::state::closing;
        for (auto* each : {&self->to_write, &self->written, &self->arrived, &self->taken})
            each->notify_all();
        while (!self->queue.empty() && self->now != link::state::closed)
            co_await self->written.wait_past(self->written.version());
        co_await with_deadline(self->time, self->time.steady_now() + self->options.close_timeout, wait_closed(self));
        self->finish();
    }

    bool open() const override { return link_->now == link::state::open; }
    std::uint16_t peer_close_code() const override { return link_->peer_code; }
    const std::string& peer_close_reason() const override { return link_->peer_reason; }

private:
    std::shared_ptr<link> link_;
};

void add_fields(beast::http::fields& to, const headers& from)
{
    for (const auto& field : from)
        to.insert(field.name, field.value);
}

}    // namespace

task<result<std::unique_ptr<websocket>>> accept_websocket(
    tcp_socket socket, request handshake, headers extra, websocket_options options, websocket_host host)
{
    beast::http::request<beast::http::empty_body> asked(beast::http::verb::get, handshake.target, 11);
    add_fields(asked, handshake.fields);
    if (!options.subprotocol.empty())
        extra.set("Sec-WebSocket-Protocol", options.subprotocol);
    auto self = std::make_shared<link>(std::move(socket), side::server, std::move(options), *host.time);
    auto decorate = [extra = std::move(extra)](beast::websocket::response_type& answer) {
        answer.erase(beast::http::field::server);
        add_fields(answer, extra);
    };
    self->stream.set_option(beast::websocket::stream_base::decorator(std::move(decorate)));
    boost::system::error_code failed;
    co_await self->stream.async_accept(asked, asio::redirect_error(use_task, failed));
    if (failed)
        co_return error{errc::bad_request, "the WebSocket handshake failed: " + failed.message()};
    co_return std::make_unique<beast_websocket>(std::move(self), *host.tasks);
}

task<result<std::unique_ptr<websocket>>> open_websocket(
    tcp_socket socket, websocket_target to, websocket_options options, websocket_host host)
{
    auto self = std::make_shared<link>(std::move(socket), side::client, std::move(options), *host.time);
    auto decorate = [fields = std::move(to.fields)](beast::websocket::request_type& asked) { add_fields(asked, fields); };
    self->stream.set_option(beast::websocket::stream_base::decorator(std::move(decorate)));
    beast::websocket::response_type answer;
    boost::system::error_code failed;
    co_await self->stream.async_handshake(answer, to.authority, to.target, asio::redirect_error(use_task, failed));
    throw_if_cancelled(failed);
    if (failed == beast::websocket::error::upgrade_declined)
        co_return error_of_status(answer.result_int(), answer.body());
    if (failed.category() == make_error_code(beast::websocket::error::closed).category() ||
        failed.category() == make_error_code(beast::http::error::bad_version).category())
        co_return error{errc::bad_request, "the answer is no WebSocket handshake: " + failed.message()};
    if (failed)
        co_return error{errc::runtime_unavailable, "the connection broke during the WebSocket handshake: " + failed.message()};
    co_return std::make_unique<beast_websocket>(std::move(self), *host.tasks);
}

}    // namespace caisson::net

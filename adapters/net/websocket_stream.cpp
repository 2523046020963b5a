#include "adapters/net/websocket_stream.hpp"

#include "adapters/net/client_connection.hpp"
#include "adapters/net/websocket_link.hpp"
#include "core/async/deadline.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/beast/http/empty_body.hpp>

#include <array>

namespace caisson::net {

namespace {

using link = websocket_link;

/// Ends the connection when a background task ends for any reason, including cancellation and destruction.
struct finish_at_end {
    explicit finish_at_end(std::shared_ptr<link> the_link) : of(std::move(the_link)) { }
    ~finish_at_end() { of->finish(); }
    finish_at_end(const finish_at_end&) = delete;
    finish_at_end& operator=(const finish_at_end&) = delete;
    const std::shared_ptr<link> of;
};

task<> wait_for_place(std::shared_ptr<link> self)
{
    self->reading_paused = true;
    while (self->inbox_full())
        co_await self->arrived.wait_past(self->arrived.version());
    self->reading_paused = false;
}

task<> run_reader(std::shared_ptr<link> self)
{
    try {
        while (!self->closing.is_closed()) {
            boost::system::error_code failed;
            const auto into = self->room.bytes();
            const auto count =
                co_await self->socket.async_read_some(asio::buffer(into.data(), into.size()), asio::redirect_error(use_task, failed));
            if (failed)
                co_return self->read_ended(failed);
            self->heart.note_activity();
            const bool taken = self->take({into.data(), count});
            if (!taken || !self->socket.is_message_done()) {
                self->room.widen();
                continue;
            }
            self->room.narrow();
            self->deliver();
            if (self->inbox_full())
                co_await wait_for_place(self);
        }
    } catch (...) {
        self->finish();
        throw;
    }
}

task<boost::system::error_code> send_front(std::shared_ptr<link> self)
{
    const auto& front = self->outbox.begin_front(self->time.steady_now());
    self->socket.binary(front.kind == message_kind::binary);
    const std::array<asio::const_buffer, 2> parts{asio::buffer(front.prefix), asio::buffer(front.payload.view())};
    boost::system::error_code failed;
    self->socket.next_layer().sends_message(true);
    co_await self->socket.async_write(parts, asio::redirect_error(use_task, failed));
    self->socket.next_layer().sends_message(false);
    self->heart.note_activity();
    self->outbox.finish_front();
    self->written.notify_all();
    co_return failed;
}

task<boost::system::error_code> send_close(std::shared_ptr<link> self)
{
    beast::websocket::close_reason reason(self->closing.code());
    reason.reason.assign(self->closing.reason().data(), self->closing.reason().size());
    boost::system::error_code failed;
    co_await self->socket.async_close(reason, asio::redirect_error(use_task, failed));
    if (!failed)
        self->keep_reason();
    co_return asio::error::eof;
}

task<boost::system::error_code> send_ping(std::shared_ptr<link> self)
{
    self->heart.ping_begun();
    const beast::websocket::ping_data nothing;
    boost::system::error_code failed;
    co_await self->socket.async_ping(nothing, asio::redirect_error(use_task, failed));
    co_return failed;
}

task<> run_writer(std::shared_ptr<link> self)
{
    const finish_at_end guard(self);
    while (!self->closing.is_closed()) {
        boost::system::error_code failed;
        if (self->heart.ping_due())
            failed = co_await send_ping(self);
        else if (!self->outbox.empty())
            failed = co_await send_front(self);
        else if (self->closing.now() == websocket_closing::state::closing)
            failed = co_await send_close(self);
        else
            co_await self->to_write.wait_past(self->to_write.version());
        if (failed)
            co_return;
    }
}

task<> keep_alive(std::shared_ptr<link> self)
{
    for (std::optional next = self->first_beat(); next; next = self->beat())
        co_await self->time.wait_until(*next);
}

/// The writer of a WebSocket without a pulse.
task<> write_and_ping(std::shared_ptr<link> self) { co_await race(run_writer(self), keep_alive(self)); }

task<> wait_sent(std::shared_ptr<link> self)
{
    while (!self->outbox.empty() && !self->closing.is_closed())
        co_await self->written.wait_past(self->written.version());
}

task<> wait_closed(std::shared_ptr<link> self)
{
    while (!self->closing.is_closed())
        co_await self->written.wait_past(self->written.version());
}

class beast_websocket final : public websocket {
public:
    beast_websocket(std::shared_ptr<link> the_link, task_group& tasks) : link_(std::move(the_link))
    {
        tasks.spawn("websocket reader", run_reader(link_));
        tasks.spawn("websocket writer", link_->looked_after() ? run_writer(link_) : write_and_ping(link_));
    }
    ~beast_websocket() override { link_->finish(); }
    beast_websocket(const beast_websocket&) = delete;
    beast_websocket& operator=(const beast_websocket&) = delete;

    task<std::optional<message>> receive() override
    {
        const auto self = link_;
        while (self->inbox.empty() && self->closing.is_open())
            co_await self->arrived.wait_past(self->arrived.version());
        if (self->inbox.empty())
            co_return std::nullopt;
        co_return self->next_message();
    }

    bool send_text(std::string text) override { return link_->push({message_kind::text, std::move(text), {}}); }
    bool send_binary(std::string prefix, shared_bytes payload) override
    {
        return link_->push({message_kind::binary, std::move(prefix), std::move(payload)});
    }
    std::size_t queued_bytes() const override { return link_->outbox.bytes(); }

    task<> drained(std::size_t below) override
    {
        const auto self = link_;
        while (self->outbox.bytes() > below && self->closing.is_open())
            co_await self->written.wait_past(self->written.version());
    }

    task<> close(std::uint16_t code, std::string reason) override
    {
        const auto self = link_;
        if (self->closing.is_open())
            self->begin_close(code, std::move(reason));
        if (self->closing.code() == close_code::policy) {    // also if set by an earlier, cancelled call
            self->outbox.drop_unsent();
            co_await with_deadline(self->time, self->time.steady_now() + self->options.close_timeout, wait_sent(self));
            if (!self->outbox.empty())
                self->finish();
        }
        co_await wait_sent(self);
        co_await with_deadline(self->time, self->time.steady_now() + self->options.close_timeout, wait_closed(self));
        self->finish();
    }

    bool open() const override { return link_->closing.is_open(); }
    std::uint16_t peer_close_code() const override { return link_->closing.peer_code(); }
    const std::string& peer_close_reason() const override { return link_->closing.peer_reason(); }

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
    stream socket, request handshake, headers extra, websocket_options options, websocket_host host)
{
    beast::http::request<beast::http::empty_body> asked(beast::http::verb::get, handshake.target, 11);
    add_fields(asked, handshake.fields);
    if (!options.subprotocol.empty())
        extra.set("Sec-WebSocket-Protocol", options.subprotocol);
    auto self = std::make_shared<link>(std::move(socket), side::server, std::move(options), host);
    auto decorate = [extra = std::move(extra)](beast::websocket::response_type& answer) {
        answer.set(beast::http::field::server, "caisson");    // otherwise Beast sets its own name
        add_fields(answer, extra);
    };
    self->socket.set_option(beast::websocket::stream_base::decorator(std::move(decorate)));
    boost::system::error_code failed;
    co_await self->socket.async_accept(asked, asio::redirect_error(use_task, failed));
    if (failed)
        co_return error{errc::bad_request, "the WebSocket handshake failed: " + failed.message()};
    co_return std::make_unique<beast_websocket>(std::move(self), *host.tasks);
}

task<result<std::unique_ptr<websocket>>> open_websocket(stream socket, websocket_target to, websocket_options options, websocket_host host)
{
    auto self = std::make_shared<link>(std::move(socket), side::client, std::move(options), host);
    auto decorate = [fields = std::move(to.fields)](beast::websocket::request_type& asked) { add_fields(asked, fields); };
    self->socket.set_option(beast::websocket::stream_base::decorator(std::move(decorate)));
    beast::websocket::response_type answer;
    boost::system::error_code failed;
    co_await self->socket.async_handshake(answer, to.authority, to.target, asio::redirect_error(use_task, failed));
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

#include "adapters/net/client_impl.hpp"

namespace caisson::net {

namespace {

constexpr std::uint64_t max_error_body_bytes = 64 * 1024;
constexpr std::size_t piece_bytes = 256 * 1024;

error too_much(std::uint64_t announced)
{
    return {errc::bad_request, "what is sent is not the " + std::to_string(announced) + " bytes that were announced; did the file change?"};
}

}    // namespace

task<result<response>> client::impl::upload(request what, body_source* body, transfer_options how)
{
    auto socket = co_await bounded(time.steady_now() + how.connect_timeout, connect());
    if (socket.has_error())
        co_return socket.error();
    auto connection = std::make_unique<client_connection>(std::move(*socket), options);
    const auto method = what.method;
    auto shared = std::make_shared<const request>(std::move(what));
    const auto deadline = time.steady_now() + how.stall_timeout;
    auto sent = co_await bounded(deadline, connection->send_head(std::move(shared), server, body->size_bytes()));
    if (sent.has_value())
        sent = co_await send_body(connection.get(), body, &how);
    if (sent.has_error())
        co_return sent.error();
    co_return co_await bounded(time.steady_now() + how.answer_timeout, read_answer(connection.get(), method));
}

task<result<void>> client::impl::send_body(client_connection* on, body_source* body, const transfer_options* how)
{
    const auto size = body->size_bytes();
    std::uint64_t done = 0;
    while (done < size && !on->answer_begins()) {
        auto bytes = co_await body->read();
        if (bytes.has_error())
            co_return bytes.error();
        if (bytes->empty() || bytes->size() > size - done)
            co_return too_much(size);
        for (std::size_t at = 0; at < bytes->size(); at += piece_bytes) {
            const auto piece = bytes->slice(at, piece_bytes);
            auto sent = co_await bounded(time.steady_now() + how->stall_timeout, on->send_piece(piece));
            if (sent.has_error())
                co_return sent.error();
            done += piece.size();
            if (how->progress)
                how->progress(done);
        }
    }
    co_return result<void>();
}

task<result<response>> client::impl::read_answer(client_connection* from, std::string method)
{
    auto answer = co_await from->read_head(std::move(method), options.max_response_bytes);
    while (answer.has_value() && !from->done()) {
        auto more = co_await from->read_body(&answer->body);
        if (more.has_error())
            co_return more.error();
    }
    co_return answer;
}

task<result<response>> client::impl::download(request what, body_sink to, transfer_options how)
{
    const auto deadline = time.steady_now() + how.connect_timeout + how.answer_timeout;
    auto opened = co_await bounded(deadline, open_stream(std::move(what)));
    if (opened.has_error())
        co_return opened.error();
    auto& body = **opened;
    response head = body.head();
    const bool good = head.status / 100 == 2;
    std::uint64_t done = 0;
    while (true) {
        auto piece = co_await bounded(time.steady_now() + how.stall_timeout, body.read());
        if (piece.has_error())
            co_return piece.error();
        if (!*piece)
            co_return head;
        done += (*piece)->size();
        if (!good) {
            head.body += std::string_view(**piece).substr(0, max_error_body_bytes - head.body.size());
            if (head.body.size() == max_error_body_bytes)
                co_return head;
            continue;
        }
        shared_bytes bytes(std::move(**piece));
        auto taken = co_await to(std::move(bytes));
        if (taken.has_error())
            co_return taken.error();
        if (how.progress)
            how.progress(done);
    }
}

task<result<response>> client::upload(request what, body_source& body, transfer_options how)
{
    return impl_->upload(std::move(what), &body, std::move(how));
}

task<result<response>> client::download(request what, body_sink to, transfer_options how)
{
    return impl_->download(std::move(what), std::move(to), std::move(how));
}

}    // namespace caisson::net

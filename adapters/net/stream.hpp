#pragma once

#include "adapters/net/socket.hpp"
#include "adapters/net/tls_session.hpp"

#include <boost/asio/compose.hpp>
#include <boost/asio/post.hpp>

#include <array>
#include <memory>
#include <optional>
#include <utility>

namespace caisson::net {

/// A connected byte stream: TCP or a Unix socket, plain or, after start_tls(), under TLS. An AsyncStream; one read and one write at
/// a time. A plain stream adds no cost to the socket.
class stream {
public:
    using executor_type = io_executor;

    explicit stream(any_socket socket) : socket_(std::move(socket)) { }

    executor_type get_executor() { return socket_.get_executor(); }
    any_socket& socket() { return socket_; }
    bool encrypted() const { return tls_ != nullptr; }
    tls_session* tls() { return tls_.get(); }

    /// Switches to TLS; call async_handshake() next. With a `host` this is the client's side.
    void start_tls(std::shared_ptr<const tls_context> from, const std::optional<std::string>& host = std::nullopt);

    /// Completes with an error code if the handshake fails; tls()->failure() says why.
    template <class Token>
    auto async_handshake(Token&& token)
    {
        return attempts([tls = tls_.get()] { return tls->handshake(); }, std::forward<Token>(token), handshake_signature());
    }

    template <class Buffers, class Token>
    auto async_read_some(const Buffers& buffers, Token&& token)
    {
        const auto begin = [this](auto&& handler, const auto& into) {
            if (!tls_)
                return socket_.async_read_some(into, std::forward<decltype(handler)>(handler));
            const asio::mutable_buffer first = first_of(into);
            attempts(
                [tls = tls_.get(), first] { return tls->read(first); }, std::forward<decltype(handler)>(handler), transfer_signature());
        };
        return asio::async_initiate<Token, void(boost::system::error_code, std::size_t)>(begin, token, buffers);
    }

    template <class Buffers, class Token>
    auto async_write_some(const Buffers& buffers, Token&& token)
    {
        const auto begin = [this](auto&& handler, const auto& from) {
            if (!tls_)
                return socket_.async_write_some(from, std::forward<decltype(handler)>(handler));
            const auto parts = some_of(from);
            attempts(
                [tls = tls_.get(), parts] { return tls->write(parts); }, std::forward<decltype(handler)>(handler), transfer_signature());
        };
        return asio::async_initiate<Token, void(boost::system::error_code, std::size_t)>(begin, token, buffers);
    }

    /// True if bytes can be read without waiting.
    bool has_input();
    /// Tells the peer that this side sends no more. Reading stays possible.
    void shutdown_send();
    void cancel();
    void close();
    /// The overload that Asio's sockets offer.
    void close(boost::system::error_code& failed);

private:
    using transfer_signature = void (*)(boost::system::error_code, std::size_t);
    using handshake_signature = void (*)(boost::system::error_code);

    template <class Attempt, bool Counts>
    struct operation {
        stream* on;
        Attempt attempt;
        tls_step step = {};
        bool waited = false;
        bool over = false;

        template <class Self>
        void operator()(Self& self, boost::system::error_code failed = {})
        {
            if (!over) {
                step = failed ? tls_step{tls_step::wants::nothing, failed, 0} : attempt();
                if (step.next != tls_step::wants::nothing) {
                    const auto what = step.next == tls_step::wants::readable ? any_socket::wait_read : any_socket::wait_write;
                    waited = true;
                    auto& socket = on->socket_;
                    return socket.async_wait(what, std::move(self));
                }
                over = true;
                if (!waited) {    // an operation must not complete inside its initiating function
                    auto executor = on->get_executor();
                    return asio::post(executor, std::move(self));
                }
            }
            if constexpr (Counts)
                self.complete(step.failed, step.count);
            else
                self.complete(step.failed);
        }
    };

    template <class Attempt, class Token>
    auto attempts(Attempt attempt, Token&& token, transfer_signature)
    {
        return asio::async_compose<Token, void(boost::system::error_code, std::size_t)>(
            operation<Attempt, true>{this, std::move(attempt)}, token, socket_);
    }
    template <class Attempt, class Token>
    auto attempts(Attempt attempt, Token&& token, handshake_signature)
    {
        return asio::async_compose<Token, void(boost::system::error_code)>(
            operation<Attempt, false>{this, std::move(attempt)}, token, socket_);
    }

    template <class Buffers>
    static asio::mutable_buffer first_of(const Buffers& buffers)
    {
        for (auto at = asio::buffer_sequence_begin(buffers); at != asio::buffer_sequence_end(buffers); ++at)
            if (const asio::mutable_buffer one(*at); one.size() > 0)
                return one;
        return {};
    }
    template <class Buffers>
    static std::array<asio::const_buffer, 4> some_of(const Buffers& buffers)
    {
        std::array<asio::const_buffer, 4> out{};
        std::size_t count = 0;
        for (auto at = asio::buffer_sequence_begin(buffers); at != asio::buffer_sequence_end(buffers) && count < out.size(); ++at)
            if (const asio::const_buffer one(*at); one.size() > 0)
                out[count++] = one;
        return out;
    }

    any_socket socket_;
    std::unique_ptr<tls_session> tls_;
};

}    // namespace caisson::net

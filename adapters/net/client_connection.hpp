#pragma once

#include "adapters/net/body_decoder.hpp"
#include "adapters/net/client.hpp"
#include "adapters/net/head.hpp"
#include "adapters/net/input_buffer.hpp"
#include "adapters/net/stream.hpp"

namespace caisson::net {

/// Throws if `failed` is operation_aborted, so that the caller's deadline decides the result of cancelled work.
void throw_if_cancelled(const boost::system::error_code& failed);

/// Connects to `server`, trying each of its addresses, and does the TLS handshake for https. `trust` may be null for plain HTTP;
/// `addresses` may be empty. Errors: errc::runtime_unavailable; errc::bad_request if the server does not speak TLS or its
/// certificate is untrusted; the errors of `addresses`.
task<result<stream>> connect_to(url server, std::shared_ptr<const tls_context> trust, address_finder addresses);

/// One connection of a client: sends a request, then reads the response in pieces. Cancellation throws operation_aborted.
class client_connection {
public:
    client_connection(stream socket, const client_options& options);

    /// False if the idle connection cannot be reused: the peer closed it or sent bytes without a request.
    bool is_alive();

    task<result<void>> send(std::shared_ptr<const request> what, url server);
    /// Sends the head only; send_piece() then sends the body of `body_bytes`.
    task<result<void>> send_head(std::shared_ptr<const request> what, url server, std::uint64_t body_bytes);
    task<result<void>> send_piece(shared_bytes piece);
    /// True if the response or the connection's end has arrived, or the server stopped reading. Then stop sending and call read_head().
    bool answer_begins();
    /// Reads the response's head; skips 1xx responses. `max_body_bytes` bounds the total that read_body() returns.
    task<result<response>> read_head(std::string method, std::uint64_t max_body_bytes);
    /// Like read_head(), for a request to switch to `protocol`: returns a 101 too, if it switches to that protocol.
    task<result<response>> read_upgrade(std::string method, std::string protocol, std::uint64_t max_body_bytes);
    /// True if the server handed the connection over. It no longer carries HTTP: only release() may be called.
    bool handed_over() const { return handed_over_; }
    /// Moves out the stream, with the bytes already read from it.
    std::pair<stream, std::string> release();
    /// Appends the next body bytes to `out`, at least one unless the body has ended; then done() is true.
    task<result<void>> read_body(std::string* out);

    bool done() const { return body_.done(); }
    bool reusable() const { return keep_alive_ && body_.done() && input_.empty(); }
    /// True if a byte of the response arrived, so that the server has received the request.
    bool answered() const { return answered_; }

private:
    task<result<void>> send_parts(std::string head, std::string_view body);
    task<result<void>> read_more();
    task<result<response_head>> read_one_head(std::string method);
    error broken(const boost::system::error_code& why);
    result<response> begin_body(response_head head, std::uint64_t max_body_bytes);

    stream socket_;
    input_buffer input_;
    std::size_t max_head_bytes_;
    body_decoder body_;
    bool keep_alive_ = false;
    bool answered_ = false;
    bool handed_over_ = false;
    bool refuses_ = false;    // the server stopped reading
};

}    // namespace caisson::net

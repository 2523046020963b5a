#pragma once

#include "adapters/net/body_decoder.hpp"
#include "adapters/net/client.hpp"
#include "adapters/net/head.hpp"
#include "adapters/net/input_buffer.hpp"
#include "adapters/net/stream.hpp"

namespace caisson::net {

/// Cancelled work ends with an exception, so that its deadline decides what came of it.
void throw_if_cancelled(const boost::system::error_code& failed);

/// Connects to `server`, trying each of its addresses, and shakes hands where it is https. `trust` is for that, else null. `addresses`
/// may be not set. Errors: errc::runtime_unavailable; errc::bad_request if it does not speak TLS, or its certificate is not to be
/// trusted; what `addresses` gives.
task<result<stream>> connect_to(url server, std::shared_ptr<const tls_context> trust, address_finder addresses);

/// One connection of a client: sends a request, then reads its answer in pieces. Cancellation throws operation_aborted.
class client_connection {
public:
    client_connection(stream socket, const client_options& options);

    /// False if nothing of an answer can follow: the peer closed the connection while it was idle.
    bool is_alive();

    task<result<void>> send(std::shared_ptr<const request> what, url server);
    /// The head alone, of a body of `body_bytes` that send_piece sends.
    task<result<void>> send_head(std::shared_ptr<const request> what, url server, std::uint64_t body_bytes);
    task<result<void>> send_piece(shared_bytes piece);
    /// True if the answer, or the connection's end, has come already, or the server takes no more: send no more, and read_head.
    bool answer_begins();
    /// The answer's head; 1xx answers are passed over. `max_body_bytes` bounds what read_body gives in all.
    task<result<response>> read_head(std::string method, std::uint64_t max_body_bytes);
    /// As read_head for a request to hand the connection over to `protocol`: 101 is an answer too, of the protocol that was asked for.
    task<result<response>> read_upgrade(std::string method, std::string protocol, std::uint64_t max_body_bytes);
    /// True if that answer handed it over: what follows is no HTTP. Then nothing but release() makes sense.
    bool handed_over() const { return handed_over_; }
    /// The connection itself, and the bytes that were read from it already.
    std::pair<stream, std::string> release();
    /// Appends what came to `out`, at least one byte unless the body is over. Then done() is true.
    task<result<void>> read_body(std::string* out);

    bool done() const { return body_.done(); }
    bool reusable() const { return keep_alive_ && body_.done() && input_.empty(); }
    /// True if a byte of the answer came: then the request was taken by the server.
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
    bool refuses_ = false;    // the server takes no more
};

}    // namespace caisson::net

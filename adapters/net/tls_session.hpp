#pragma once

#include "adapters/net/tls_context.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/system/error_code.hpp>

#include <memory>
#include <span>
#include <string>

struct ssl_st;

namespace caisson::net {

/// The result of one attempt. If `next` is readable or writable, repeat the attempt once the socket is; otherwise it is complete.
struct tls_step {
    enum class wants { nothing, readable, writable };
    wants next = wants::nothing;
    boost::system::error_code failed;    // asio::error::eof once the peer has ended
    std::size_t count = 0;               // bytes read or written
};

/// One side of a TLS connection over a file descriptor owned by the caller. Never blocks. I/O thread only.
class tls_session {
public:
    /// The server's side.
    tls_session(std::shared_ptr<const tls_context> from, int descriptor);
    /// The client's side: the server's certificate must match `host`, a name or an address.
    tls_session(std::shared_ptr<const tls_context> from, int descriptor, const std::string& host);
    ~tls_session();
    tls_session(const tls_session&) = delete;
    tls_session& operator=(const tls_session&) = delete;

    tls_step handshake();
    tls_step read(boost::asio::mutable_buffer into);
    /// Writes what the socket takes of `parts`, up to a few hundred KiB. A repeated attempt must start with the same bytes.
    tls_step write(std::span<const boost::asio::const_buffer> parts);
    /// Sends close_notify if the socket takes it without blocking.
    void send_close_notify();
    /// True if bytes were read from the socket but not returned yet.
    bool pending() const;
    /// Stops using the descriptor.
    void detach() { descriptor_ = -1; }
    int descriptor() const { return descriptor_; }

    /// After a failed handshake, read or write: the reason; on the client's side also why the certificate is untrusted.
    std::string failure() const { return failure_; }
    /// True if the handshake failed because of the server's certificate.
    bool untrusted() const;

private:
    void attach();
    tls_step judge(int outcome, std::size_t count);
    tls_step write_some(std::span<const boost::asio::const_buffer> parts);
    std::string why_untrusted() const;

    struct release {
        void operator()(ssl_st* session) const;
    };
    const std::shared_ptr<const tls_context> from_;
    std::unique_ptr<ssl_st, release> session_;
    int descriptor_;
    bool broken_ = false;
    std::string failure_;
};

}    // namespace caisson::net

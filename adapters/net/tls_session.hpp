#pragma once

#include "adapters/net/tls_context.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/system/error_code.hpp>

#include <memory>
#include <span>
#include <string>

struct ssl_st;

namespace caisson::net {

/// What one attempt came to. If it wants the socket to become readable or writable, repeat it then; otherwise it is over.
struct tls_step {
    enum class wants { nothing, readable, writable };
    wants next = wants::nothing;
    boost::system::error_code failed;    // asio::error::eof at the peer's end
    std::size_t count = 0;               // bytes read or written
};

/// One side of a TLS connection over a descriptor that somebody else owns. Never blocks. I/O thread only.
class tls_session {
public:
    /// The server's side.
    tls_session(std::shared_ptr<const tls_context> from, int descriptor);
    /// The client's: the certificate must be for `host`, a name or an address.
    tls_session(std::shared_ptr<const tls_context> from, int descriptor, const std::string& host);
    ~tls_session();
    tls_session(const tls_session&) = delete;
    tls_session& operator=(const tls_session&) = delete;

    tls_step handshake();
    tls_step read(boost::asio::mutable_buffer into);
    /// Takes as much of `parts` as the socket does, up to a few hundred KiB. An attempt that wants to be repeated is to be repeated
    /// with parts that begin with the same bytes.
    tls_step write(std::span<const boost::asio::const_buffer> parts);
    /// Tells the peer that no more comes, if the socket takes it at once.
    void say_end();
    /// Bytes are here that were read from the socket and not asked for yet.
    bool pending() const;
    /// The descriptor is not to be used any more.
    void detach() { descriptor_ = -1; }
    int descriptor() const { return descriptor_; }

    /// After a failed handshake: why, in words; of a client, what to do about a certificate that is not trusted.
    std::string failure() const { return failure_; }
    /// True if the handshake failed for the peer's certificate.
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

#include "adapters/net/tls_session.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>

namespace caisson::net {

namespace {

namespace asio = boost::asio;

constexpr std::size_t record_bytes = 16 * 1024;
constexpr std::size_t write_bytes = 256 * 1024;    // limit of one attempt, for fairness to other connections

int descriptor_of(BIO* bio) { return static_cast<const tls_session*>(::BIO_get_data(bio))->descriptor(); }

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

int bio_write(BIO* bio, const char* data, int size)
{
    ::BIO_clear_retry_flags(bio);
    const auto sent = ::send(descriptor_of(bio), data, static_cast<std::size_t>(size), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && would_block())
        ::BIO_set_retry_write(bio);
    return static_cast<int>(sent);
}

int bio_read(BIO* bio, char* data, int size)
{
    ::BIO_clear_retry_flags(bio);
    const auto got = ::recv(descriptor_of(bio), data, static_cast<std::size_t>(size), MSG_DONTWAIT);
    if (got < 0 && would_block())
        ::BIO_set_retry_read(bio);
    if (got == 0)
        ::BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
    return static_cast<int>(got);
}

long bio_control(BIO* bio, int what, long, void*)
{
    if (what == BIO_CTRL_EOF)
        return ::BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0 ? 1 : 0;
    return what == BIO_CTRL_FLUSH ? 1 : 0;
}

/// OpenSSL's own socket BIO writes without MSG_NOSIGNAL, and to a descriptor that may have been closed and reused.
BIO_METHOD* socket_method()
{
    static BIO_METHOD* const method = [] {
        auto* const made = ::BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "caisson socket");
        ::BIO_meth_set_write(made, bio_write);
        ::BIO_meth_set_read(made, bio_read);
        ::BIO_meth_set_ctrl(made, bio_control);
        return made;
    }();
    return method;
}

std::string reason_of(unsigned long code)
{
    if (ERR_GET_REASON(code) == SSL_R_WRONG_VERSION_NUMBER)
        return "what answers there does not speak TLS";
    const char* const reason = ::ERR_reason_error_string(code);
    return reason != nullptr ? reason : "a TLS error";
}

bool is_address(const std::string& host)
{
    boost::system::error_code failed;
    asio::ip::make_address(host, failed);
    return !failed;
}

}    // namespace

void tls_session::release::operator()(ssl_st* session) const { ::SSL_free(session); }

tls_session::tls_session(std::shared_ptr<const tls_context> from, int descriptor)
    : from_(std::move(from)), session_(::SSL_new(from_->native())), descriptor_(descriptor)
{
    attach();
    ::SSL_set_accept_state(session_.get());
}

tls_session::tls_session(std::shared_ptr<const tls_context> from, int descriptor, const std::string& host)
    : from_(std::move(from)), session_(::SSL_new(from_->native())), descriptor_(descriptor)
{
    attach();
    ::SSL_set_connect_state(session_.get());
    if (is_address(host)) {
        ::X509_VERIFY_PARAM_set1_ip_asc(::SSL_get0_param(session_.get()), host.c_str());
    } else {
        ::SSL_set_tlsext_host_name(session_.get(), host.c_str());
        ::SSL_set1_host(session_.get(), host.c_str());
    }
}

tls_session::~tls_session() = default;

void tls_session::attach()
{
    if (!session_)
        throw std::bad_alloc();
    auto* const bio = ::BIO_new(socket_method());
    if (bio == nullptr)
        throw std::bad_alloc();
    ::BIO_set_data(bio, this);
    ::BIO_set_init(bio, 1);
    ::SSL_set_bio(session_.get(), bio, bio);
}

tls_step tls_session::judge(int outcome, std::size_t count)
{
    if (outcome > 0)
        return {tls_step::wants::nothing, {}, count};
    const int saved = errno;
    switch (::SSL_get_error(session_.get(), outcome)) {
    case SSL_ERROR_WANT_READ: return {tls_step::wants::readable, {}, 0};
    case SSL_ERROR_WANT_WRITE: return {tls_step::wants::writable, {}, 0};
    case SSL_ERROR_ZERO_RETURN: return {tls_step::wants::nothing, asio::error::eof, 0};
    case SSL_ERROR_SYSCALL: {
        broken_ = true;
        const bool ended = saved == 0 || ::SSL_get_shutdown(session_.get()) != 0;
        failure_ = ended ? "the connection ended" : std::strerror(saved);
        if (ended)
            return {tls_step::wants::nothing, asio::error::eof, 0};
        return {tls_step::wants::nothing, boost::system::error_code(saved, boost::system::system_category()), 0};
    }
    default: {
        broken_ = true;
        failure_ = untrusted() ? why_untrusted() : reason_of(::ERR_peek_error());
        ::ERR_clear_error();
        return {tls_step::wants::nothing, asio::error::connection_aborted, 0};
    }
    }
}

tls_step tls_session::handshake()
{
    ::ERR_clear_error();
    errno = 0;
    return judge(::SSL_do_handshake(session_.get()), 0);
}

tls_step tls_session::read(asio::mutable_buffer into)
{
    if (into.size() == 0)
        return {};
    ::ERR_clear_error();
    errno = 0;
    std::size_t count = 0;
    const int outcome = ::SSL_read_ex(session_.get(), into.data(), into.size(), &count);
    return judge(outcome, count);
}

tls_step tls_session::write(std::span<const asio::const_buffer> parts)
{
    tls_step whole;
    std::array<asio::const_buffer, 8> left{};
    const auto used = std::min(parts.size(), left.size());
    std::copy_n(parts.begin(), used, left.begin());
    for (std::size_t first = 0; first < used && whole.count < write_bytes;) {
        auto step = write_some(std::span(left).subspan(first, used - first));
        if (step.next != tls_step::wants::nothing || step.failed)
            return whole.count > 0 ? whole : step;
        whole.count += step.count;
        for (; first < used && step.count >= left[first].size(); ++first)
            step.count -= left[first].size();
        if (first < used)
            left[first] += step.count;
    }
    return whole;
}

/// Writes one TLS record. Combines small parts (a frame's head and its payload).
tls_step tls_session::write_some(std::span<const asio::const_buffer> parts)
{
    const auto total = asio::buffer_size(parts);
    if (total == 0)
        return {};
    std::array<char, record_bytes> together;
    const void* data = parts.front().data();
    auto size = std::min(parts.front().size(), record_bytes);
    if (size < record_bytes && size < total) {
        size = asio::buffer_copy(asio::buffer(together), parts);
        data = together.data();
    }
    ::ERR_clear_error();
    errno = 0;
    std::size_t count = 0;
    const int outcome = ::SSL_write_ex(session_.get(), data, size, &count);
    return judge(outcome, count);
}

void tls_session::send_close_notify()
{
    if (broken_ || descriptor_ < 0 || ::SSL_in_init(session_.get()) != 0)
        return;
    ::ERR_clear_error();
    ::SSL_shutdown(session_.get());
    ::ERR_clear_error();
}

bool tls_session::pending() const { return ::SSL_has_pending(session_.get()) == 1; }

bool tls_session::untrusted() const { return ::SSL_is_server(session_.get()) == 0 && ::SSL_get_verify_result(session_.get()) != X509_V_OK; }

std::string tls_session::why_untrusted() const
{
    const auto fault = ::SSL_get_verify_result(session_.get());
    switch (fault) {
    case X509_V_ERR_CERT_HAS_EXPIRED: return "it has expired";
    case X509_V_ERR_CERT_NOT_YET_VALID: return "it is not valid yet; is this machine's clock right?";
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH: return "it is for another host";
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE: return "no CA that is trusted here has signed it";
    default: return ::X509_verify_cert_error_string(fault);
    }
}

}    // namespace caisson::net

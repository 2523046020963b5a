#include "adapters/net/tls_context.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <boost/asio/ip/address.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <system_error>

namespace caisson::net {

namespace {

constexpr std::int64_t day_ms = 86'400'000;
/// TLS 1.2 ciphers with forward secrecy and authenticated encryption, by OpenSSL's names. All TLS 1.3 ciphers have both.
constexpr const char* ciphers = "ECDHE+AESGCM:ECDHE+CHACHA20";
constexpr off_t most_file_bytes = 1 << 20;
constexpr unsigned char http_1_1[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

/// The oldest entry of OpenSSL's error queue. Clears the queue.
std::string last_failure()
{
    const auto code = ::ERR_get_error();
    ::ERR_clear_error();
    const char* const reason = code == 0 ? nullptr : ::ERR_reason_error_string(code);
    return reason == nullptr ? "unknown error" : reason;
}

int choose_protocol(SSL*, const unsigned char** out, unsigned char* out_size, const unsigned char* in, unsigned in_size, void*)
{
    unsigned char* chosen = nullptr;
    if (::SSL_select_next_proto(&chosen, out_size, http_1_1, sizeof http_1_1, in, in_size) != OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    *out = chosen;
    return SSL_TLSEXT_ERR_OK;
}

int no_passphrase(char*, int, int, void* was_asked)
{
    *static_cast<bool*>(was_asked) = true;
    return -1;
}

void set_common(SSL_CTX* context)
{
    ::SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    ::SSL_CTX_set_security_level(context, 2);
    ::SSL_CTX_set_cipher_list(context, ciphers);
    ::SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    ::SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    ::SSL_CTX_set_read_ahead(context, 1);
    ::SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);    // session tickets suffice: clients keep them
}

std::int64_t to_ms(const ASN1_TIME* time)
{
    std::tm parts{};
    ::ASN1_TIME_to_tm(time, &parts);
    return static_cast<std::int64_t>(::timegm(&parts)) * 1000;
}

std::string shown_name(const GENERAL_NAME* name)
{
    const auto* const text = name->type == GEN_IPADD ? name->d.iPAddress : name->d.dNSName;
    const auto* const bytes = ::ASN1_STRING_get0_data(text);
    const auto size = static_cast<std::size_t>(::ASN1_STRING_length(text));
    if (name->type == GEN_DNS)
        return {reinterpret_cast<const char*>(bytes), size};
    if (boost::asio::ip::address_v4::bytes_type v4; name->type == GEN_IPADD && size == v4.size()) {
        std::copy_n(bytes, size, v4.begin());
        return boost::asio::ip::address_v4(v4).to_string();
    }
    if (boost::asio::ip::address_v6::bytes_type v6; name->type == GEN_IPADD && size == v6.size()) {
        std::copy_n(bytes, size, v6.begin());
        return boost::asio::ip::address_v6(v6).to_string();
    }
    return {};
}

std::vector<std::string> names_of(X509* certificate)
{
    std::vector<std::string> out;
    auto* const names = static_cast<GENERAL_NAMES*>(::X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr));
    for (int i = 0; names != nullptr && i < sk_GENERAL_NAME_num(names); ++i)
        if (auto name = shown_name(sk_GENERAL_NAME_value(names, i)); !name.empty())
            out.push_back(std::move(name));
    ::GENERAL_NAMES_free(names);
    if (out.empty()) {
        std::string subject(256, '\0');
        ::X509_NAME_oneline(::X509_get_subject_name(certificate), subject.data(), static_cast<int>(subject.size()));
        out.emplace_back(subject.c_str());
    }
    return out;
}

error cannot_use(std::string_view what, const std::filesystem::path& file, const std::string& why)
{
    return {errc::bad_request, "the TLS " + std::string(what) + " " + file.string() + " cannot be used: " + why};
}

/// Why a file must not be passed to OpenSSL; empty if it may. Opening a pipe would block the whole server.
std::string unfit(const std::filesystem::path& file)
{
    struct ::stat found{};
    if (::stat(file.c_str(), &found) != 0 || ::access(file.c_str(), R_OK) != 0)
        return std::generic_category().message(errno);
    if (!S_ISREG(found.st_mode))
        return "it is not a regular file";
    return found.st_size > most_file_bytes ? "it is larger than 1 MiB" : "";
}

}    // namespace

std::int64_t certificate_facts::days_left(std::int64_t now_ms) const
{
    const auto left = not_after_ms - now_ms;
    return left >= 0 ? left / day_ms : -1 - (-left - 1) / day_ms;
}

void tls_context::release::operator()(ssl_ctx_st* context) const { ::SSL_CTX_free(context); }

result<std::shared_ptr<const tls_context>> tls_context::for_server(const tls_files& files)
{
    std::shared_ptr<tls_context> made(new tls_context);
    made->context_.reset(::SSL_CTX_new(::TLS_server_method()));
    set_common(made->context_.get());
    // A close without close_notify is safe: HTTP framing detects a truncated request.
    ::SSL_CTX_set_options(made->context_.get(), SSL_OP_IGNORE_UNEXPECTED_EOF | SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
    ::SSL_CTX_set_alpn_select_cb(made->context_.get(), choose_protocol, nullptr);
    auto loaded = made->load(files);
    if (loaded.has_error())
        return loaded.error();
    return std::shared_ptr<const tls_context>(std::move(made));
}

result<std::shared_ptr<const tls_context>> tls_context::for_client(const std::filesystem::path& ca_file, const tls_files& identity)
{
    std::shared_ptr<tls_context> made(new tls_context);
    made->context_.reset(::SSL_CTX_new(::TLS_client_method()));
    set_common(made->context_.get());
    ::SSL_CTX_set_verify(made->context_.get(), SSL_VERIFY_PEER, nullptr);
    ::SSL_CTX_set_alpn_protos(made->context_.get(), http_1_1, sizeof http_1_1);
    auto trusted = made->trust(ca_file);
    if (trusted.has_error())
        return trusted.error();
    const bool anonymous = identity.certificate.empty() && identity.key.empty();
    auto loaded = anonymous ? result<void>() : made->load(identity);
    if (loaded.has_error())
        return loaded.error();
    return std::shared_ptr<const tls_context>(std::move(made));
}

namespace {

error belongs_to_another(const tls_files& files)
{
    return cannot_use("key", files.key, "it does not belong to the certificate " + files.certificate.string());
}

}    // namespace

result<void> tls_context::load(const tls_files& files)
{
    auto* const context = context_.get();
    ::ERR_clear_error();
    bool locked = false;
    ::SSL_CTX_set_default_passwd_cb(context, no_passphrase);
    ::SSL_CTX_set_default_passwd_cb_userdata(context, &locked);
    if (files.certificate.empty() || files.key.empty())
        return error{errc::bad_request, "a TLS certificate and its key belong together: name the files of both"};
    if (const auto why = unfit(files.certificate); !why.empty())
        return cannot_use("certificate", files.certificate, why);
    if (const auto why = unfit(files.key); !why.empty())
        return cannot_use("key", files.key, why);
    if (::SSL_CTX_use_certificate_chain_file(context, files.certificate.c_str()) != 1)
        return cannot_use("certificate", files.certificate, last_failure());
    if (::SSL_CTX_use_PrivateKey_file(context, files.key.c_str(), SSL_FILETYPE_PEM) != 1) {
        // This call also compares the key with the certificate if both have the same key type.
        const bool other = ERR_GET_REASON(::ERR_peek_last_error()) == X509_R_KEY_VALUES_MISMATCH ||
                           ERR_GET_REASON(::ERR_peek_last_error()) == X509_R_KEY_TYPE_MISMATCH;
        const auto why = last_failure();
        if (other)
            return belongs_to_another(files);
        return cannot_use("key", files.key, locked ? "it is encrypted; store it without a passphrase" : why);
    }
    // OpenSSL accepts a key of another type than the certificate's; the context then has no certificate for its key.
    if (::SSL_CTX_check_private_key(context) != 1) {
        ::ERR_clear_error();
        return belongs_to_another(files);
    }
    auto* const certificate = ::SSL_CTX_get0_certificate(context);
    facts_ = {names_of(certificate), to_ms(::X509_get0_notBefore(certificate)), to_ms(::X509_get0_notAfter(certificate))};
    return {};
}

result<void> tls_context::trust(const std::filesystem::path& ca_file)
{
    ::ERR_clear_error();
    if (ca_file.empty())
        ::SSL_CTX_set_default_verify_paths(context_.get());
    else if (::SSL_CTX_load_verify_file(context_.get(), ca_file.c_str()) != 1)
        return error{errc::bad_request,
            "the CA file " + ca_file.string() + " cannot be used: " + last_failure() + "; it must hold PEM certificates"};
    return {};
}

}    // namespace caisson::net

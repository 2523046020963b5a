#pragma once

#include "core/base/error.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

struct ssl_ctx_st;

namespace caisson::net {

/// Where a certificate of one side is: PEM, the chain from its own certificate on, and its key without a passphrase.
struct tls_files {
    std::filesystem::path certificate;
    std::filesystem::path key;
};

/// What people want to know of a certificate.
struct certificate_facts {
    std::vector<std::string> names;    // hosts and addresses that it is for; the subject if it lists none
    std::int64_t not_before_ms = 0;
    std::int64_t not_after_ms = 0;

    /// Whole days from `now_ms` until it expires; negative once it has.
    std::int64_t days_left(std::int64_t now_ms) const;
};

/// What TLS sessions of one side are made from: protocol versions, ciphers, certificates. TLS 1.2 and 1.3, ALPN "http/1.1", neither
/// renegotiation nor compression. Immutable; sessions keep it alive.
class tls_context {
public:
    /// Errors: errc::bad_request, naming the file and what is wrong: not there, not PEM, an encrypted key, a key that does not
    /// belong to the certificate, a key that is too weak.
    static result<std::shared_ptr<const tls_context>> for_server(const tls_files& files);
    /// Trusts the CAs in `ca_file`, or the system's if it is empty. `identity` is shown to servers that ask for a certificate; without
    /// files there is none. Errors: errc::bad_request for a CA file that holds none, and for an identity as of for_server.
    static result<std::shared_ptr<const tls_context>> for_client(const std::filesystem::path& ca_file, const tls_files& identity = {});

    /// The own certificate of this side, if it has one.
    const certificate_facts& certificate() const { return facts_; }
    ssl_ctx_st* native() const { return context_.get(); }

private:
    struct release {
        void operator()(ssl_ctx_st* context) const;
    };
    tls_context() = default;
    result<void> load(const tls_files& files);
    result<void> trust(const std::filesystem::path& ca_file);

    std::unique_ptr<ssl_ctx_st, release> context_;
    certificate_facts facts_;
};

}    // namespace caisson::net

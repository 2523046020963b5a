#pragma once

#include "core/base/error.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

struct ssl_ctx_st;

namespace caisson::net {

/// The PEM files of one side: its certificate chain, own certificate first, and the key without a passphrase.
struct tls_files {
    std::filesystem::path certificate;
    std::filesystem::path key;
};

/// The facts about a certificate that are shown to operators.
struct certificate_facts {
    std::vector<std::string> names;    // the hosts and addresses it covers; the subject if it lists none
    std::int64_t not_before_ms = 0;
    std::int64_t not_after_ms = 0;

    /// Whole days from `now_ms` until it expires; negative once it has.
    std::int64_t days_left(std::int64_t now_ms) const;
};

/// The configuration of one side's TLS sessions: protocol versions, ciphers, certificates. TLS 1.2 and 1.3, ALPN "http/1.1", no
/// renegotiation, no compression. Immutable; sessions keep it alive.
class tls_context {
public:
    /// Errors: errc::bad_request with the file and the fault: missing, not PEM, an encrypted key, a key that does not match the
    /// certificate, a key that is too weak.
    static result<std::shared_ptr<const tls_context>> for_server(const tls_files& files);
    /// Trusts the CAs in `ca_file`, or the system's CAs if the path is empty. `identity`, if set, is presented to servers that ask for
    /// a certificate. Errors: errc::bad_request for a CA file without certificates, and for `identity` as in for_server().
    static result<std::shared_ptr<const tls_context>> for_client(const std::filesystem::path& ca_file, const tls_files& identity = {});

    /// This side's own certificate; empty facts without one.
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

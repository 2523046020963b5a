#pragma once

#include "adapters/net/tls_context.hpp"

#include <chrono>
#include <filesystem>
#include <string>

namespace caisson::testing {

/// A directory with certificates that tests make as they need them. Removed with it.
class certificate_workshop {
public:
    certificate_workshop();
    ~certificate_workshop();
    certificate_workshop(const certificate_workshop&) = delete;
    certificate_workshop& operator=(const certificate_workshop&) = delete;

    /// What a certificate says; times are relative to now.
    struct wish {
        std::string names = "DNS:localhost,IP:127.0.0.1";    // as OpenSSL's subjectAltName; empty: none
        std::chrono::hours begins{-1};
        std::chrono::hours ends{24 * 90};
    };

    /// Writes NAME.pem and NAME.key: a self-signed certificate, which is its own CA.
    net::tls_files make(const std::string& name, const wish& what);
    net::tls_files make(const std::string& name) { return make(name, wish()); }
    std::filesystem::path path(const std::string& name) const { return folder_ / name; }
    std::filesystem::path write(const std::string& name, const std::string& text) const;

private:
    std::filesystem::path folder_;
};

}    // namespace caisson::testing

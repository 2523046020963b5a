#include "tests/support/certificates.hpp"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdlib.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <stdexcept>

namespace caisson::testing {

namespace {

template <auto Release>
struct releaser {
    template <class T>
    void operator()(T* what) const
    {
        Release(what);
    }
};
using key_ptr = std::unique_ptr<EVP_PKEY, releaser<EVP_PKEY_free>>;
using certificate_ptr = std::unique_ptr<X509, releaser<X509_free>>;
using file_ptr = std::unique_ptr<std::FILE, releaser<std::fclose>>;

void extend(X509* certificate, int what, const std::string& value)
{
    X509V3_CTX context{};
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
    const std::unique_ptr<X509_EXTENSION, releaser<X509_EXTENSION_free>> one(X509V3_EXT_conf_nid(nullptr, &context, what, value.c_str()));
    if (!one)
        throw std::runtime_error("the extension " + value + " is wrong");
    X509_add_ext(certificate, one.get(), -1);
}

}    // namespace

certificate_workshop::certificate_workshop()
{
    std::string folder = "/tmp/caisson-certificates-XXXXXX";
    if (::mkdtemp(folder.data()) == nullptr)
        throw std::runtime_error("no directory can be made in /tmp");
    folder_ = folder;
}

certificate_workshop::~certificate_workshop()
{
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

net::tls_files certificate_workshop::make(const std::string& name, const wish& what)
{
    const key_ptr key(EVP_EC_gen("P-256"));
    const certificate_ptr made(X509_new());
    X509_set_version(made.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(made.get()), std::chrono::seconds(what.begins).count());
    X509_gmtime_adj(X509_getm_notAfter(made.get()), std::chrono::seconds(what.ends).count());
    X509_set_pubkey(made.get(), key.get());
    auto* const subject = X509_get_subject_name(made.get());
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
    X509_set_issuer_name(made.get(), subject);
    if (!what.names.empty())
        extend(made.get(), NID_subject_alt_name, what.names);
    extend(made.get(), NID_basic_constraints, "critical,CA:TRUE");
    X509_sign(made.get(), key.get(), EVP_sha256());

    net::tls_files out{path(name + ".pem"), path(name + ".key")};
    const file_ptr certificate(std::fopen(out.certificate.c_str(), "w"));
    PEM_write_X509(certificate.get(), made.get());
    const file_ptr secret(std::fopen(out.key.c_str(), "w"));
    PEM_write_PrivateKey(secret.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    std::filesystem::permissions(out.key, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    return out;
}

std::filesystem::path certificate_workshop::write(const std::string& name, const std::string& text) const
{
    std::ofstream(path(name)) << text;
    return path(name);
}

}    // namespace caisson::testing

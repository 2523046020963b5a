#include "adapters/crypto/sha256_hasher.hpp"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <stdexcept>

namespace caisson {

namespace {

void need(int done)
{
    if (done != 1)
        throw std::runtime_error("SHA-256 or GMAC is not available in this OpenSSL");
}

class sha256_hasher : public hasher {
public:
    sha256_hasher() { begin(); }
    void add(std::string_view bytes) override { need(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size())); }
    std::string finish() override
    {
        std::string digest(32, '\0');
        need(EVP_DigestFinal_ex(context_.get(), reinterpret_cast<unsigned char*>(digest.data()), nullptr));
        begin();
        return digest;
    }

    /// GMAC with a fixed nonce: all tags have the same mask, which is safe since no tag is disclosed.
    std::string tag(std::string_view key, std::string_view bytes) override
    {
        begin_tag(key);
        need(EVP_MAC_update(mac_.get(), as_bytes(bytes), bytes.size()));
        std::string made(16, '\0');
        std::size_t size = 0;
        need(EVP_MAC_final(mac_.get(), reinterpret_cast<unsigned char*>(made.data()), &size, made.size()));
        return made;
    }

private:
    struct closer {
        void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
        void operator()(EVP_MAC_CTX* context) const { EVP_MAC_CTX_free(context); }
        void operator()(EVP_MD* method) const { EVP_MD_free(method); }
        void operator()(EVP_MAC* method) const { EVP_MAC_free(method); }
    };
    struct gmac {
        EVP_MAC* get() const { return method.get(); }
        std::unique_ptr<EVP_MAC, closer> method{EVP_MAC_fetch(nullptr, "GMAC", nullptr)};
    };
    static const unsigned char* as_bytes(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }
    /// Keeps the last key: setting a key takes longer than tagging a small file.
    void begin_tag(std::string_view key)
    {
        static const gmac method;
        std::string nonce(12, '\0');
        const auto with_nonce = OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_IV, nonce.data(), nonce.size());
        if (mac_ && mac_key_ == key) {
            const OSSL_PARAM with[] = {with_nonce, OSSL_PARAM_construct_end()};
            return need(EVP_MAC_init(mac_.get(), nullptr, 0, with));
        }
        mac_key_.clear();
        mac_.reset(EVP_MAC_CTX_new(method.get()));
        const OSSL_PARAM with[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER, const_cast<char*>("AES-256-GCM"), 0), with_nonce,
            OSSL_PARAM_construct_end()};
        need(EVP_MAC_init(mac_.get(), as_bytes(key), key.size(), with));
        mac_key_ = key;
    }
    void begin() { need(EVP_DigestInit_ex2(context_.get(), method_of(), nullptr)); }
    /// Cached: with EVP_sha256() each context would repeat the look-up.
    static const EVP_MD* method_of()
    {
        static const std::unique_ptr<EVP_MD, closer> method(EVP_MD_fetch(nullptr, "SHA256", nullptr));
        return method.get();
    }

    std::unique_ptr<EVP_MD_CTX, closer> context_{EVP_MD_CTX_new()};
    std::unique_ptr<EVP_MAC_CTX, closer> mac_;
    std::string mac_key_;    // key of mac_
};

}    // namespace

std::unique_ptr<hasher> make_sha256_hasher() { return std::make_unique<sha256_hasher>(); }

}    // namespace caisson

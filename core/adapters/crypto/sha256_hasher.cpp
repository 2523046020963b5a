#include "core/adapters/crypto/sha256_hasher.hpp"

#include <openssl/evp.h>

#include <stdexcept>

namespace caisson {

namespace {

void check(int done)
{
    if (done != 1)
        throw std::runtime_error("SHA-256 is not available in this OpenSSL");
}

class sha256_hasher : public hasher {
public:
    sha256_hasher() { begin(); }
    void add(std::string_view bytes) override { check(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size())); }
    std::string finish() override
    {
        std::string digest(32, '\0');
        check(EVP_DigestFinal_ex(context_.get(), reinterpret_cast<unsigned char*>(digest.data()), nullptr));
        begin();
        return digest;
    }

private:
    struct closer {
        void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
    };
    void begin() { check(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr)); }

    std::unique_ptr<EVP_MD_CTX, closer> context_{EVP_MD_CTX_new()};
};

}    // namespace

std::unique_ptr<hasher> make_sha256_hasher() { return std::make_unique<sha256_hasher>(); }

}    // namespace caisson

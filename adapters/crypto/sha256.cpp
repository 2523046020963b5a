#include "adapters/crypto/sha256.hpp"

#include <openssl/evp.h>

#include <array>
#include <stdexcept>
#include <string_view>

namespace caisson {

struct sha256_stream::context {
    EVP_MD_CTX* handle = EVP_MD_CTX_new();
    context() = default;
    context(const context&) = delete;
    context& operator=(const context&) = delete;
    ~context() { EVP_MD_CTX_free(handle); }
};

namespace {

void check(int done)
{
    if (done != 1)
        throw std::runtime_error("SHA-256 is not available in this OpenSSL");
}

}    // namespace

sha256_stream::sha256_stream() : context_(std::make_unique<context>())
{
    check(EVP_DigestInit_ex(context_->handle, EVP_sha256(), nullptr));
}

sha256_stream::~sha256_stream() = default;

void sha256_stream::add(std::span<const char> bytes) { check(EVP_DigestUpdate(context_->handle, bytes.data(), bytes.size())); }

std::string sha256_stream::finish()
{
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned length = 0;
    check(EVP_DigestFinal_ex(context_->handle, digest.data(), &length));
    constexpr std::string_view digits = "0123456789abcdef";
    std::string hex;
    for (unsigned i = 0; i < length; ++i) {
        hex.push_back(digits[digest[i] >> 4]);
        hex.push_back(digits[digest[i] & 15u]);
    }
    return hex;
}

}    // namespace caisson

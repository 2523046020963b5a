#include "adapters/crypto/digest.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <memory>
#include <stdexcept>

namespace caisson {

namespace {

struct closer {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
    void operator()(EVP_MD* method) const { EVP_MD_free(method); }
};

/// Cached: OpenSSL's look-up of SHA-256 takes longer than hashing a key.
const EVP_MD* sha256_method()
{
    static const std::unique_ptr<EVP_MD, closer> method(EVP_MD_fetch(nullptr, "SHA256", nullptr));
    return method.get();
}

std::string hex_of(const EVP_MD* method, std::string_view bytes)
{
    thread_local const std::unique_ptr<EVP_MD_CTX, closer> context(EVP_MD_CTX_new());
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned length = 0;
    if (EVP_DigestInit_ex2(context.get(), method, nullptr) != 1 || EVP_DigestUpdate(context.get(), bytes.data(), bytes.size()) != 1 ||
        EVP_DigestFinal_ex(context.get(), digest.data(), &length) != 1)
        throw std::runtime_error("this OpenSSL lacks a digest");
    constexpr std::string_view digits = "0123456789abcdef";
    std::string hex;
    hex.reserve(std::size_t{2} * length);
    for (unsigned i = 0; i < length; ++i) {
        hex.push_back(digits[digest[i] >> 4]);
        hex.push_back(digits[digest[i] & 15u]);
    }
    return hex;
}

}    // namespace

std::string sha256_hex(std::string_view bytes) { return hex_of(sha256_method(), bytes); }

std::string md5_hex(std::string_view bytes) { return hex_of(EVP_md5(), bytes); }

std::string hmac_sha256(std::string_view key, std::string_view bytes)
{
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned length = 0;
    if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
            digest.data(), &length) == nullptr)
        throw std::runtime_error("HMAC-SHA-256 is not available in this OpenSSL");
    return {reinterpret_cast<const char*>(digest.data()), length};
}

bool equal_in_constant_time(std::string_view a, std::string_view b)
{
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}    // namespace caisson

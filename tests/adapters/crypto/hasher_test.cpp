#include "adapters/crypto/sha256_hasher.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace caisson {

namespace {

struct digest_case {
    const char* text;
    const char* digest;
};

/// FIPS 180-2, appendix B; the empty one is well known.
constexpr digest_case digests[] = {
    {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
};

TEST(Hasher, DigestsAreThoseOfTheStandard)
{
    const auto hasher = make_sha256_hasher();
    for (const auto& [text, digest] : digests) {
        hasher->add(text);
        EXPECT_EQ(to_hex(hasher->finish()), digest) << text;
    }
    hasher->add("a");
    hasher->add("b");
    hasher->add("c");
    EXPECT_EQ(to_hex(hasher->finish()), digests[1].digest) << "in parts";
}

std::string counting_key()
{
    std::string key(32, '\0');
    std::iota(key.begin(), key.end(), char{});
    return key;
}

/// AES-256-GCM of no text with a nonce of zeros; the first is test case 13 of the algorithm's specification (McGrew and Viega, 2005).
TEST(Hasher, TagsAreGmacOfTheBytes)
{
    const auto hasher = make_sha256_hasher();
    const std::string zeros(32, '\0');
    EXPECT_EQ(to_hex(hasher->tag(zeros, "")), "530f8afbc74536b9a963b4f1c4cb738b");
    EXPECT_EQ(to_hex(hasher->tag(zeros, "a")), "b809031ad1b09253e78b6a0bc5b36764");
    EXPECT_EQ(to_hex(hasher->tag(counting_key(), std::string(100, 'x'))), "a3941f567e6301184b079de4f806d8db");
    EXPECT_EQ(to_hex(hasher->tag(zeros, "a")), "b809031ad1b09253e78b6a0bc5b36764") << "with the key of before";
}

TEST(Hasher, ATagHasNothingToDoWithWhatIsAdded)
{
    const auto hasher = make_sha256_hasher();
    const auto before = hasher->tag(counting_key(), "bytes");
    hasher->add("ab");
    EXPECT_EQ(hasher->tag(counting_key(), "bytes"), before);
    hasher->add("c");
    EXPECT_EQ(to_hex(hasher->finish()), digests[1].digest);
    EXPECT_NE(hasher->tag(std::string(32, '\0'), "bytes"), before);
}

}    // namespace

}    // namespace caisson

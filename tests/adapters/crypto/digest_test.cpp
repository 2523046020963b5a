#include "adapters/crypto/digest.hpp"

#include <gtest/gtest.h>

namespace caisson {

TEST(Digest, OfAShortText)
{
    EXPECT_EQ(md5_hex("abc"), "900150983cd24fb0d6963f7d28e17f72");    // RFC 1321
    EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(md5_hex(""), "d41d8cd98f00b204e9800998ecf8427e");
}

}    // namespace caisson

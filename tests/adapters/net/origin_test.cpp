#include "adapters/net/address_range.hpp"
#include "adapters/net/origin.hpp"

#include <gtest/gtest.h>

namespace caisson::net {

namespace {

TEST(CanonicalOrigin, IsOneWayOfWritingEach)
{
    EXPECT_EQ(canonical_origin("https://App.Example"), "https://app.example");
    EXPECT_EQ(canonical_origin("https://app.example:443"), "https://app.example");
    EXPECT_EQ(canonical_origin("http://app.example:443"), "http://app.example:443");
    EXPECT_EQ(canonical_origin("http://localhost:80"), "http://localhost");
    EXPECT_EQ(canonical_origin("http://[::1]:3000"), "http://[::1]:3000");
    for (const auto* none : {"", "null", "*", "https://", "https://*.example", "https://app.example/", "https://app.example/x",
             "app.example", "ftp://app.example", "unix:///run/x", "https://app.example:0", "https://a b", "https://user@app.example"})
        EXPECT_EQ(canonical_origin(none), std::nullopt) << none;
}

TEST(OriginOf, IsThatOfAnAddress)
{
    EXPECT_EQ(origin_of("https://Caisson.example/prefix"), "https://caisson.example");
    EXPECT_EQ(origin_of("http://caisson.example:8443"), "http://caisson.example:8443");
    for (const auto* none :
        {"", "caisson", "https://m\xC3\xBCnchen.example", "https://user@caisson.example", "https://caisson.example:8443x", "unix:///run/x"})
        EXPECT_EQ(origin_of(none), std::nullopt) << none;
}

bool holds(std::string_view range, std::string_view peer)
{
    const auto parsed = address_range::parse(range);
    return parsed && parsed->holds(peer);
}

TEST(AddressRange, HoldsWhatBeginsLikeIt)
{
    EXPECT_TRUE(holds("127.0.0.1", "127.0.0.1:1"));
    EXPECT_FALSE(holds("127.0.0.1", "127.0.0.2:1"));
    EXPECT_TRUE(holds("10.0.0.0/8", "10.255.0.1:65535"));
    EXPECT_FALSE(holds("10.0.0.0/8", "11.0.0.1:1"));
    EXPECT_TRUE(holds("0.0.0.0/0", "8.8.8.8:1"));
    EXPECT_FALSE(holds("0.0.0.0/0", "[2001:db8::1]:1"));
    EXPECT_TRUE(holds("::/0", "8.8.8.8:1"));
    EXPECT_TRUE(holds("10.0.0.0/8", "[::ffff:10.1.2.3]:1"));
    EXPECT_TRUE(holds("::ffff:10.0.0.0/104", "10.1.2.3:1"));
    EXPECT_TRUE(holds("::1", "[::1]:1"));
    EXPECT_TRUE(holds("fd00::/8", "[fd12::1]:1"));
    EXPECT_TRUE(holds("fe80::/10", "[fe80::1%lo]:1"));
    EXPECT_FALSE(holds("fd00::/8", "[fe80::1]:1"));
    EXPECT_FALSE(holds("::1", ""));
    EXPECT_FALSE(holds("::1", "localhost:1"));
}

TEST(AddressRange, IsNoOtherText)
{
    for (const auto* none : {"", "localhost", "10.0.0.1/8", "10.0.0.0/33", "::1/129", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8x", "10.0.0",
             "[::1]", "127.0.0.1:80", "*"})
        EXPECT_FALSE(address_range::parse(none)) << none;
}

}    // namespace

}    // namespace caisson::net

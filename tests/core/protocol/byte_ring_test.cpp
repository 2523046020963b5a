#include "core/protocol/byte_ring.hpp"

#include <gtest/gtest.h>

#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace caisson::protocol {
namespace {

constexpr std::size_t capacity = 1 << 20;

/// How many of the ring's pages are there, by where its room begins.
std::size_t resident_bytes(byte_ring& ring)
{
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    std::vector<unsigned char> pages(capacity / page);
    if (::mincore(ring.room().data(), capacity, pages.data()) != 0)
        return 0;
    std::size_t there = 0;
    for (const auto each : pages)
        there += (each & 1U) != 0 ? page : 0;
    return there;
}

void fill_and_drain(byte_ring& ring, std::size_t bytes)
{
    ring.append(std::string(bytes, 'x'));
    ring.pop(ring.size());
}

TEST(ByteRing, GivesBackInOrderWhatWasPutIn)
{
    byte_ring ring(8);
    EXPECT_EQ(ring.append("abcdefghij"), 8u);
    ring.pop(5);
    EXPECT_EQ(ring.append("klmnopq"), 5u);
    EXPECT_EQ(ring.free(), 0u);
    EXPECT_EQ(ring.peek(0, 100), "fgh");
    EXPECT_EQ(ring.peek(3, 100), "klmno");
    EXPECT_EQ(ring.peek(4, 2), "lm");
    EXPECT_TRUE(ring.room().empty());
    ring.clear();
    EXPECT_EQ(ring.size(), 0u);
}

TEST(ByteRing, KeepsItsMemoryWhileMuchComesAndGoes)
{
    byte_ring ring(capacity);
    fill_and_drain(ring, 200'000);
    const auto* const begin = ring.room().data();
    EXPECT_GE(resident_bytes(ring), 200'000u);
    fill_and_drain(ring, 200'000);
    EXPECT_EQ(ring.room().data(), begin);
    EXPECT_GE(resident_bytes(ring), 200'000u);
}

TEST(ByteRing, AtRestTheMemoryOfAnEmptyOneGoesBack)
{
    byte_ring ring(capacity);
    fill_and_drain(ring, 200'000);
    ring.rest();
    EXPECT_EQ(resident_bytes(ring), 0u);
    fill_and_drain(ring, 200'000);
    EXPECT_GE(resident_bytes(ring), 200'000u);
}

TEST(ByteRing, AtRestWhatItHoldsStays)
{
    byte_ring ring(capacity);
    ring.append(std::string(200'000, 'x'));
    ring.pop(199'999);
    ring.rest();
    EXPECT_EQ(ring.peek(0, 10), "x");
}

TEST(ByteRing, AtRestLittleMemoryIsKept)
{
    byte_ring ring(capacity);
    fill_and_drain(ring, 10'000);
    ring.rest();
    EXPECT_GE(resident_bytes(ring), 10'000u);
}

}    // namespace
}    // namespace caisson::protocol

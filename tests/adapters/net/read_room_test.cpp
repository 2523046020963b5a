#include "adapters/net/read_room.hpp"

#include "adapters/net/input_buffer.hpp"

#include <gtest/gtest.h>

namespace caisson::net {
namespace {

TEST(ReadRoom, IsLargeOnlyWhileAMessageGoesOn)
{
    read_room room(256, 8192);
    EXPECT_EQ(room.bytes().size(), 256u);
    room.widen();
    EXPECT_EQ(room.bytes().size(), 8192u);
    room.widen();
    EXPECT_EQ(room.bytes().size(), 8192u);
    room.narrow();
    EXPECT_EQ(room.bytes().size(), 256u);
}

TEST(ReadRoom, OfOneSizeStaysWhereItIs)
{
    read_room room(4096, 4096);
    const auto* const place = room.bytes().data();
    room.widen();
    room.narrow();
    EXPECT_EQ(room.bytes().data(), place);
}

TEST(InputBuffer, GivesAllBackWhenItIsDropped)
{
    input_buffer input(64 * 1024);
    const auto room = input.prepare();
    room[0] = 'x';
    input.commit(1);
    EXPECT_GT(input.capacity(), 0u);
    input.drop();
    EXPECT_EQ(input.capacity(), 0u);
    EXPECT_TRUE(input.empty());
    EXPECT_FALSE(input.prepare().empty());
}

}    // namespace
}    // namespace caisson::net

#include "core/exec/collect/collect_room.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <string_view>

namespace caisson {
namespace {

constexpr auto least = collect_room::least_free_bytes;

struct room_case {
    std::string_view name;
    std::uint64_t free_bytes;    // bytes are written twice
    std::uint64_t file;
    bool fits;
};
void PrintTo(const room_case& c, std::ostream* out) { *out << c.name; }

class CollectRoom : public ::testing::TestWithParam<room_case> { };

TEST_P(CollectRoom, IsHalfOfWhatTheDiskCanSpare)
{
    const auto& c = GetParam();
    collect_room room([&c] { return c.free_bytes; });
    EXPECT_EQ(room.take(c.file), c.fits);
}

INSTANTIATE_TEST_SUITE_P(Cases, CollectRoom,
    ::testing::Values(room_case{"just_enough", least + 20, 9, true}, room_case{"the_last_byte_is_not_given", least + 20, 10, false},
        room_case{"nothing_to_spare", least, 0, false}, room_case{"a_full_disk", 0, 0, false},
        room_case{"a_large_file", least + (std::uint64_t{8} << 30), std::uint64_t{3} << 30, true}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(CollectRoomLooks, AreSharedBySmallFiles)
{
    int looks = 0;
    collect_room room([&looks] {
        ++looks;
        return std::uint64_t{1} << 40;
    });
    for (int i = 0; i < 1'000; ++i)
        EXPECT_TRUE(room.take(1'024));
    EXPECT_EQ(looks, 1) << "a megabyte on one look";
    EXPECT_TRUE(room.take(64 << 20));
    EXPECT_EQ(looks, 2);
}

TEST(CollectRoomLooks, AreNotNeededWhereTheDiskIsUnknown) { EXPECT_TRUE(collect_room(nullptr).take(UINT64_MAX)); }

}    // namespace
}    // namespace caisson

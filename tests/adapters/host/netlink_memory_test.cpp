#include "adapters/host/netlink_memory.hpp"
#include "core/base/unique_fd.hpp"

#include <gtest/gtest.h>

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>

namespace caisson {
namespace {

constexpr std::string_view table = "sk               Eth Pid        Groups   Rmem     Wmem     Dump  Locks    Drops    Inode\n"
                                   "0000000000000000 0   1234       00000551 768      16       0     2        9        20\n"
                                   "00000000deadbeef 15  4294963200 00000001 212992   0        0     2        0        4294967295\n";

TEST(NetlinkCounter, AddsWhatWaitsInEachSocket)
{
    netlink_counter counted;
    counted.add(table.data(), table.size());
    EXPECT_EQ(counted.bytes(), 768 + 16 + 212'992 + 2 * netlink_socket_bytes);
}

TEST(NetlinkCounter, LinesMayComeInAnyPieces)
{
    for (std::size_t piece = 1; piece < 90; ++piece) {
        netlink_counter counted;
        for (std::size_t at = 0; at < table.size(); at += piece)
            counted.add(table.data() + at, std::min(piece, table.size() - at));
        ASSERT_EQ(counted.bytes(), 768 + 16 + 212'992 + 2 * netlink_socket_bytes) << piece;
    }
}

TEST(NetlinkBytes, CountsWhatNobodyReads)
{
    const unique_fd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
    ASSERT_TRUE(socket);
    struct {
        nlmsghdr head;
        ifinfomsg about;
    } ask{};
    ask.head.nlmsg_len = sizeof ask;
    ask.head.nlmsg_type = RTM_GETLINK;
    ask.head.nlmsg_flags = NLM_F_REQUEST;
    ask.about.ifi_index = 1;
    for (int i = 0; i < 20; ++i)
        ASSERT_EQ(::send(socket.get(), &ask, sizeof ask, 0), static_cast<ssize_t>(sizeof ask));
    const auto of_this = open_netlink_table(::getpid());
    ASSERT_TRUE(of_this);
    for (int look = 0; look < 2; ++look) {
        EXPECT_GE(netlink_bytes(of_this.get(), 1 << 30), 20 * 500 + netlink_socket_bytes);
        EXPECT_GE(netlink_bytes(of_this.get(), 1), 1);
    }
}

TEST(NetlinkBytes, AreNoneOfAProcessThatIsGone)
{
    EXPECT_FALSE(open_netlink_table(0));
    EXPECT_EQ(netlink_bytes(-1, 1 << 20), 0);
}

}    // namespace
}    // namespace caisson

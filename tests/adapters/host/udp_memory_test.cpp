#include "adapters/host/udp_memory.hpp"

#include "tests/adapters/host/scratch_directory.hpp"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fstream>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace caisson {
namespace {

TEST(UdpBytes, AreWhatWaitsInASocket)
{
    constexpr auto line =
        "  113: 0100007F:8B5D 00000000:0000 07 00000010:00034000 00:00000000 00000000  1000        0 20 2 00000000deadbeef 7";
    EXPECT_EQ(udp_bytes_of_line(line), 0x10 + 0x34000 + udp_socket_bytes);
    EXPECT_EQ(
        udp_bytes_of_line(" 9: 00000000000000000000000001000000:D431 00000000000000000000000000000000:0000 07 00000000:0000000A 00:0"),
        10 + udp_socket_bytes);
    for (const char* text : {"  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode", "", "   ",
             "1: 2 3 4 5", "1: 2 3 4 5:xyz", "1: 2 3 4 :", "1: 2 3 4 5:", "1: 2 3 4 :5"})
        EXPECT_EQ(udp_bytes_of_line(text), 0) << text;
}

class UdpSocket : public ::testing::Test {
protected:
    void SetUp() override
    {
        at_.sin_family = AF_INET;
        at_.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof at_;
        ASSERT_EQ(::bind(socket_.get(), address(), sizeof at_), 0);
        ASSERT_EQ(::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&at_), &size), 0);
    }
    void send(int flags) const
    {
        const std::vector<char> message(30'000);
        ASSERT_EQ(::sendto(socket_.get(), message.data(), message.size(), flags, address(), sizeof at_), 30'000);
    }
    const sockaddr* address() const { return reinterpret_cast<const sockaddr*>(&at_); }

    const unique_fd socket_ = unique_fd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_in at_{};
};

TEST_F(UdpSocket, IsCountedWithWhatItReceived)
{
    for (int i = 0; i < 3; ++i)
        send(0);
    EXPECT_GE(udp_bytes(::getpid(), 1 << 30), 3 * 30'000 + udp_socket_bytes);
    EXPECT_GE(udp_bytes(::getpid(), 1), 1);
    EXPECT_EQ(udp_bytes(0, 1 << 30), 0) << "no such process";
}

TEST_F(UdpSocket, IsCountedWithWhatItCorks)
{
    const auto before = udp_bytes(::getpid(), 1 << 30);
    send(MSG_MORE);
    EXPECT_GE(udp_bytes(::getpid(), 1 << 30), before + 30'000);
}

TEST(SocketNumbers, AreThoseOfSockstat)
{
    const caisson::testing::scratch_directory scratch;
    const auto path = scratch.path() + "/sockstat";
    std::ofstream(path) << "sockets: used 812\nTCP: inuse 1 orphan 0 tw 0 alloc 6 mem 999999\nUDP: inuse 3 mem 7\nUDPLITE: inuse 0\n";
    const unique_fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    EXPECT_EQ(count_sockets(file.get()), 812);
    EXPECT_EQ(count_sockets(-1), 0);
}

TEST(SocketNumbers, OfAProcessAreThoseOfItsNetwork)
{
    const unique_fd one(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const auto numbers = open_socket_numbers(::getpid());
    ASSERT_TRUE(numbers);
    EXPECT_GE(count_sockets(numbers.get()), 1);
    EXPECT_FALSE(open_socket_numbers(0));
}

}    // namespace
}    // namespace caisson

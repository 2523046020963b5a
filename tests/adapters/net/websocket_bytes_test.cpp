#include "adapters/net/websocket_bytes.hpp"

#include "core/base/unique_fd.hpp"

#include <gtest/gtest.h>

#include <array>
#include <sys/socket.h>
#include <unistd.h>

namespace caisson::net {
namespace {

constexpr std::string_view bare_too_big = "\x88\x02\x03\xf1";
constexpr std::string_view too_big = "\x88\x24\x03\xf1"
                                     "a message may have at most 8 bytes";

TEST(WebSocketBytes, OnlyABareCloseForAFaultOfThePeerGetsAReason)
{
    EXPECT_EQ(with_close_reason("\x88\x02\x03\xf1", 8).substr(0, 6), "\x88\x24\x03\xf1"
                                                                     "a ");
    for (const std::string_view other :
        {"", "\x88\x02\x03", "\x88\x02\x03\xe8", "\x82\x02\x03\xf1", "\x88\x03\x03\xf1", "\x88\x02\x03\xf1x"})
        EXPECT_EQ(with_close_reason(other, 8), "");
}

class WebSocketBytesSent : public ::testing::Test {
protected:
    WebSocketBytesSent()
    {
        std::array<int, 2> pair{};
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()), 0);
        near_.assign(asio::generic::stream_protocol(AF_UNIX, 0), pair[0]);
        far_ = unique_fd(pair[1]);
    }

    /// What the other side gets of these four bytes.
    std::string sent(bool is_server, bool in_a_message)
    {
        websocket_bytes bytes(stream(std::move(near_)), is_server, 8);
        bytes.sends_message(in_a_message);
        std::size_t told = 0;
        asio::async_write(bytes, asio::buffer(bare_too_big), [&](boost::system::error_code, std::size_t count) { told = count; });
        context_.run();
        EXPECT_EQ(told, bare_too_big.size()) << "what was given is sent";
        std::array<char, 256> room{};
        const auto count = ::read(far_.get(), room.data(), room.size());
        return {room.data(), static_cast<std::size_t>(std::max<ssize_t>(0, count))};
    }

    asio::io_context context_;
    any_socket near_{context_.get_executor()};
    unique_fd far_;
};

TEST_F(WebSocketBytesSent, AServersBareCloseGetsItsReason) { EXPECT_EQ(sent(true, false), too_big); }
TEST_F(WebSocketBytesSent, TheRestOfAMessageStaysAsItIs) { EXPECT_EQ(sent(true, true), bare_too_big); }
TEST_F(WebSocketBytesSent, AClientsBytesStayAsTheyAre) { EXPECT_EQ(sent(false, false), bare_too_big); }

}    // namespace
}    // namespace caisson::net

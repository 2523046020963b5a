#include "adapters/containers/engine_host.hpp"

#include "core/base/unique_fd.hpp"
#include "tests/adapters/host/scratch_directory.hpp"

#include <gtest/gtest.h>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace caisson::docker {

namespace {

/// This process stands for an engine beside it.
class EngineHost : public ::testing::Test {
protected:
    void SetUp() override
    {
        sockaddr_un where{};
        where.sun_family = AF_UNIX;
        (scratch.path() + "/s").copy(where.sun_path, sizeof where.sun_path - 1);
        ASSERT_EQ(::bind(listener.get(), reinterpret_cast<const sockaddr*>(&where), sizeof where), 0);
        ASSERT_EQ(::listen(listener.get(), 4), 0);
    }

    caisson::testing::scratch_directory scratch;
    unique_fd listener{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    const std::string address = "unix://" + scratch.path() + "/s";
};

TEST_F(EngineHost, TheListenerIsNamed)
{
    EXPECT_EQ(listener_of(address), ::getpid());
    EXPECT_EQ(listener_of(address + "not"), std::nullopt);
    EXPECT_EQ(listener_of("tcp://127.0.0.1:2375"), std::nullopt);
    EXPECT_EQ(listener_of("unix:///" + std::string(200, 'd')), std::nullopt);
}

TEST_F(EngineHost, BesideIsWhoSeesTheSameFiles)
{
    EXPECT_EQ(why_not_beside(address, scratch.path()), std::nullopt);
    EXPECT_NE(why_not_beside(address, scratch.path() + "/nothing"), std::nullopt);
    EXPECT_NE(why_not_beside("tcp://127.0.0.1:2375", scratch.path()), std::nullopt);
    listener.reset();
    const auto away = why_not_beside(address, scratch.path());
    ASSERT_TRUE(away);
    EXPECT_NE(away->find("no engine answers"), std::string::npos) << *away;
}

}    // namespace

}    // namespace caisson::docker

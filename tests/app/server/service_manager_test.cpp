#include "app/server/service_manager.hpp"

#include "core/base/unique_fd.hpp"

#include <gtest/gtest.h>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <string>

namespace caisson {

namespace {

/// A service manager that listens at `name`; a leading @ is a name that is no file.
class ServiceManager : public ::testing::Test {
protected:
    void TearDown() override { ::unsetenv("NOTIFY_SOCKET"); }

    void listen(const std::string& name)
    {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        name.copy(address.sun_path, sizeof address.sun_path - 1);
        if (name.front() == '@')
            address.sun_path[0] = '\0';
        socket.reset(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
        ASSERT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), length), 0) << name;
        ::setenv("NOTIFY_SOCKET", name.c_str(), 1);
    }
    std::string heard()
    {
        char text[256];
        const auto got = ::recv(socket.get(), text, sizeof text, 0);
        return got < 0 ? "(nothing)" : std::string(text, static_cast<std::size_t>(got));
    }

    unique_fd socket;
};

TEST_F(ServiceManager, HearsAtAPath)
{
    std::string folder = "/tmp/caisson-notify-XXXXXX";
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    const auto path = folder + "/socket";
    listen(path);
    tell_service_manager("READY=1\nSTATUS=it runs");
    EXPECT_EQ(heard(), "READY=1\nSTATUS=it runs");
    ::unlink(path.c_str());
    ::rmdir(folder.c_str());
}

TEST_F(ServiceManager, HearsAtANameThatIsNoFile)
{
    listen("@caisson-notify-" + std::to_string(::getpid()));
    tell_service_manager("STOPPING=1");
    EXPECT_EQ(heard(), "STOPPING=1");
}

TEST_F(ServiceManager, MayBeAbsentOrUnusable)
{
    ::unsetenv("NOTIFY_SOCKET");
    tell_service_manager("READY=1");
    for (const std::string& name :
        {std::string(), std::string("/"), std::string("relative"), "/" + std::string(200, 'x'), std::string("/nowhere/socket")}) {
        ::setenv("NOTIFY_SOCKET", name.c_str(), 1);
        tell_service_manager("READY=1");
    }
}

}    // namespace

}    // namespace caisson

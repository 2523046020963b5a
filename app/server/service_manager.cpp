#include "app/server/service_manager.hpp"

#include "core/base/unique_fd.hpp"

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include <cstddef>
#include <cstdlib>

namespace caisson {

void tell_service_manager(std::string_view state) noexcept
{
    const char* variable = std::getenv("NOTIFY_SOCKET");
    const std::string_view path = variable == nullptr ? "" : variable;
    sockaddr_un address{};
    if (path.size() < 2 || path.size() >= sizeof address.sun_path || (path.front() != '/' && path.front() != '@'))
        return;
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, path.size());
    if (path.front() == '@')
        address.sun_path[0] = '\0';    // abstract socket, see unix(7)
    const unique_fd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (!socket)
        return;
    const timeval patience{.tv_sec = 1, .tv_usec = 0};
    ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
    ::sendto(socket.get(), state.data(), state.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&address), length);
}

}    // namespace caisson

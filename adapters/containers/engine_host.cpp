#include "adapters/containers/engine_host.hpp"

#include "adapters/host/small_file.hpp"
#include "core/base/unique_fd.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

namespace caisson::docker {

namespace {

constexpr std::string_view unix_scheme = "unix://";

bool is_same_file(const std::string& left, const std::string& other)
{
    struct stat first{};
    struct stat second{};
    return ::stat(left.c_str(), &first) == 0 && ::stat(other.c_str(), &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

}    // namespace

std::optional<pid_t> listener_of(const std::string& address)
{
    sockaddr_un where{};
    where.sun_family = AF_UNIX;
    if (!address.starts_with(unix_scheme) || address.size() - unix_scheme.size() >= sizeof where.sun_path)
        return std::nullopt;
    address.copy(where.sun_path, sizeof where.sun_path - 1, unix_scheme.size());
    const unique_fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    ucred peer{};
    socklen_t length = sizeof peer;
    if (!socket || ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0 ||
        ::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0)
        return std::nullopt;
    return peer.pid;
}

std::optional<std::string> why_not_beside(const std::string& address, const std::string& path)
{
    if (!address.starts_with(unix_scheme))
        return "the engine at " + address + " may be another host's: only one at a unix socket can share directories with the server";
    const auto engine = listener_of(address);
    if (!engine)
        return "no engine answers at " + address + ": start it, or set the address of one that runs";
    if (*engine == 0)
        return "the engine runs outside of the server's pid namespace: run the server beside it, or in a container with --pid=host";
    if (!is_same_file("/proc/" + std::to_string(*engine) + "/root" + path, path))
        return "the engine does not see " + path + " as the server does: bind it at the same path";
    return std::nullopt;
}

bool host_swaps()
{
    const auto swaps = read_small_file("/proc/swaps");
    return !swaps || std::ranges::count(*swaps, '\n') > 1;    // the first line is the header
}

}    // namespace caisson::docker

#include "app/agent/control_socket.hpp"

#include "app/agent/poller.hpp"
#include "core/protocol/descriptor_message.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>

namespace caisson::agent {

namespace {

/// Returns the number of descriptors received; stores only as many as fit.
std::size_t collect(msghdr& message, std::span<int> into)
{
    std::size_t found = 0;
    for (auto* head = CMSG_FIRSTHDR(&message); head; head = CMSG_NXTHDR(&message, head)) {
        if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS)
            continue;
        const std::size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i, ++found)
            if (found < into.size())
                std::memcpy(&into[found], CMSG_DATA(head) + i * sizeof(int), sizeof(int));
    }
    return found;
}

ssize_t send_some(int socket, std::string_view bytes, std::span<const int> passed)
{
    iovec piece{const_cast<char*>(bytes.data()), bytes.size()};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    protocol::descriptor_message with;
    if (!passed.empty())
        with.attach_to(message, passed);
    return ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

}    // namespace

bool wait_for(int socket, short what, std::int64_t until_ms)
{
    for (;;) {
        pollfd ready{socket, what, 0};
        const auto left = std::max<std::int64_t>(until_ms - monotonic_ms(), 0);
        const int got = ::poll(&ready, 1, static_cast<int>(left));
        if (got > 0)
            return (ready.revents & what) != 0;
        if (got == 0 || errno != EINTR)
            return false;
    }
}

bool send_all(int socket, std::string_view bytes, std::span<const int> passed, std::int64_t until_ms)
{
    while (!bytes.empty()) {
        const auto done = send_some(socket, bytes, passed);
        if (done > 0) {
            bytes.remove_prefix(static_cast<std::size_t>(done));
            passed = {};
        } else if ((errno != EAGAIN && errno != EINTR) || !wait_for(socket, POLLOUT, until_ms)) {
            return false;
        }
    }
    return true;
}

bool send_all(int socket, std::string_view bytes, std::int64_t until_ms) { return send_all(socket, bytes, {}, until_ms); }

bool hears(int socket, char word, std::int64_t until_ms)
{
    char heard = 0;
    return wait_for(socket, POLLIN, until_ms) && ::recv(socket, &heard, 1, MSG_DONTWAIT) == 1 && heard == word;
}

bool hears_end(int socket, std::int64_t until_ms)
{
    char heard = 0;
    return wait_for(socket, POLLIN, until_ms) && ::recv(socket, &heard, 1, MSG_DONTWAIT) == 0;
}

received receive(int socket, std::span<char> into, int flags, std::span<int> descriptors)
{
    alignas(cmsghdr) char space[CMSG_SPACE(protocol::max_spawn_descriptors * sizeof(int))];
    iovec piece{into.data(), into.size()};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = space;
    message.msg_controllen = sizeof(space);
    const auto got = ::recvmsg(socket, &message, flags | MSG_CMSG_CLOEXEC);
    return {got, got > 0 ? collect(message, descriptors) : 0};
}

ssize_t receive(int socket, std::span<char> into, int flags, std::vector<unique_fd>& descriptors)
{
    int came[protocol::max_spawn_descriptors];
    const auto got = receive(socket, into, flags, came);
    for (std::size_t i = 0; i < std::min(got.descriptors, std::size(came)); ++i)
        descriptors.emplace_back(came[i]);
    return got.bytes;
}

}    // namespace caisson::agent

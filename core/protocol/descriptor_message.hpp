#pragma once

#include "core/protocol/frame.hpp"

#include <array>
#include <cstring>
#include <span>
#include <sys/socket.h>

namespace caisson::protocol {

/// The control message of one sendmsg(2) that passes descriptors. Must outlive the call.
struct descriptor_message {
    alignas(cmsghdr) std::array<char, CMSG_SPACE(max_spawn_descriptors * sizeof(int))> space{};

    /// `fds`: 1 to max_spawn_descriptors.
    void attach_to(msghdr& message, std::span<const int> fds)
    {
        message.msg_control = space.data();
        message.msg_controllen = CMSG_SPACE(fds.size_bytes());
        auto* head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(fds.size_bytes());
        std::memcpy(CMSG_DATA(head), fds.data(), fds.size_bytes());
    }
};

}    // namespace caisson::protocol

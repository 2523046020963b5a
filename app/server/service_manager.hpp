#pragma once

#include <string_view>

namespace caisson {

/// Sends `state`, lines such as "READY=1", to the service manager as in sd_notify(3), over the datagram socket $NOTIFY_SOCKET. Does nothing
/// if that is not set; gives up after a second.
void tell_service_manager(std::string_view state) noexcept;

}    // namespace caisson

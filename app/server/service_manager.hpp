#pragma once

#include <string_view>

namespace caisson {

/// Tells the service manager that started this process how it stands, as sd_notify(3) says: lines such as "READY=1". It listens
/// at the datagram socket $NOTIFY_SOCKET; does nothing where there is none, and gives up after a second.
void tell_service_manager(std::string_view state) noexcept;

}    // namespace caisson

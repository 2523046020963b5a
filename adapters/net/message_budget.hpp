#pragma once

#include <cstdint>

namespace caisson::net {

/// The memory limit, in bytes, of incoming messages: incomplete ones and those not received by the application.
struct message_budget {
    std::uint64_t limit = 0;
    std::uint64_t used = 0;
};

}    // namespace caisson::net

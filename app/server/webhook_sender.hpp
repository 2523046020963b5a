#pragma once

#include "adapters/net/client.hpp"
#include "app/server/name_lookups.hpp"
#include "app/server/own_addresses.hpp"
#include "core/webhooks/ports.hpp"

#include <functional>
#include <vector>

namespace caisson {

/// Sends each message by HTTP/1.1 on a connection of its own. With `public_only` it connects to public addresses only, and to none of this
/// host's own at that attempt. A name is resolved once and the connection goes to the address that was checked. Certificates are verified
/// with the system's CAs. I/O thread only.
class http_webhook_sender final : public webhook_sender {
public:
    enum class reach { public_only, everywhere };
    using addresses_of_host = std::function<std::vector<boost::asio::ip::address>()>;

    /// `lookups`: the most names resolved at once.
    http_webhook_sender(io_executor executor, timers& time, reach where, std::size_t lookups,
        name_lookups::resolver how = &name_lookups::ask_system, addresses_of_host own = &own_addresses);

    task<result<webhook_route>> look_up(std::string url) override;
    task<webhook_answer> post(webhook_message message, webhook_route to, std::chrono::milliseconds timeout) override;

private:
    task<result<int>> send(webhook_url url, webhook_message message, webhook_route to, steady_time deadline);

    io_executor executor_;
    timers& time_;
    const reach where_;
    name_lookups names_;
    const addresses_of_host own_;
};

}    // namespace caisson

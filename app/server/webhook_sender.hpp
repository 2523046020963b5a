#pragma once

#include "core/adapters/net/client.hpp"
#include "core/async/offload.hpp"
#include "core/webhooks/ports.hpp"

namespace caisson {

/// Sends by HTTP/1.1, each message on a connection of its own. Unless `allow_private` it connects to public addresses only: a name
/// is looked up once, and the connection goes to what was judged. Certificates are verified by the system's CAs. I/O thread only.
class http_webhook_sender final : public webhook_sender {
public:
    enum class reach { public_only, everywhere };

    http_webhook_sender(io_executor executor, timers& time, reach where);

    task<webhook_answer> post(webhook_message message, std::chrono::milliseconds timeout) override;

private:
    task<result<int>> send(webhook_url to, webhook_message message, steady_time deadline);
    task<result<std::vector<asio::ip::address>>> find(std::string host);

    io_executor executor_;
    timers& time_;
    const reach where_;
    worker_pool resolving_{"caisson-resolve", 4};    // names: a dead name server holds up no thread of others
};

}    // namespace caisson

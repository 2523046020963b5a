#pragma once

#include "app/server/webhook_sender.hpp"
#include "core/base/config.hpp"
#include "core/webhooks/deliverer.hpp"
#include "storage/storage.hpp"

namespace caisson {

/// The server's webhooks: content and delivery settings. All references outlive it; `tasks` is stopped before.
class webhooks {
public:
    webhooks(const server_config& config, storage& store, io_executor executor, timers& time, logger& log, task_group& tasks);

    /// Delivers until cancelled.
    task<> run() { return deliverer_.run(); }
    /// Call when an execution with a webhook has ended.
    void wake() { deliverer_.wake(); }

private:
    http_webhook_sender sender_;
    webhook_deliverer deliverer_;
};

}    // namespace caisson

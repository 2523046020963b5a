#pragma once

#include "app/server/webhook_sender.hpp"
#include "core/base/config.hpp"
#include "core/webhooks/deliverer.hpp"
#include "storage/storage.hpp"

namespace caisson {

/// The webhooks of a server: what they say, and by which settings they are sent. All references outlive it; `tasks` is stopped before.
class webhooks {
public:
    webhooks(const server_config& config, storage& store, io_executor executor, timers& time, logger& log, task_group& tasks);

    /// Delivers until it is cancelled.
    task<> run() { return deliverer_.run(); }
    /// An execution with a webhook has ended.
    void wake() { deliverer_.wake(); }

private:
    http_webhook_sender sender_;
    webhook_deliverer deliverer_;
};

}    // namespace caisson

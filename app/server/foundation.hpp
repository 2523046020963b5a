#pragma once

#include "app/server/instance.hpp"
#include "app/server/turn_watch.hpp"
#include "core/async/offload.hpp"
#include "core/async/timers.hpp"
#include "core/base/config.hpp"
#include "core/base/ids.hpp"
#include "core/base/log.hpp"
#include "storage/storage.hpp"

#include <boost/asio/io_context.hpp>

#include <memory>

namespace caisson {

/// What all parts of a server stand on: configuration, log, I/O thread, worker threads and storage. Made first, and ends last.
struct foundation {
    /// Opens the storage. Throws storage_error, also if another server has it, and std::exception if the log cannot be written.
    explicit foundation(const server_config& wanted);

    const server_config config;    // within what this host allows
    const std::unique_ptr<logger> log;
    asio::io_context context{1};
    turn_watch turns{*log};
    system_timers time;
    worker_pool work{"caisson-work", 2};      // start sandboxes and run sweeps, which take long
    worker_pool files{"caisson-files", 2};    // pack archives for clients
    const std::unique_ptr<storage> store;
    id_factory ids{time};
    const instance self;
};

}    // namespace caisson

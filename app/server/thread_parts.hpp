#pragma once

#include "core/async/offload.hpp"
#include "core/base/config.hpp"
#include "core/base/ids.hpp"
#include "core/threads/thread_service.hpp"
#include "storage/content/state_packer.hpp"
#include "storage/storage.hpp"

namespace caisson {

/// The service of checkpoint threads and its parts. All arguments outlive it.
class thread_parts {
public:
    thread_parts(const threads_config& config, storage& store, storage_gate may_store, io_executor executor, timers& time, logger& log,
        id_factory& ids);

    thread_service& service() { return service_; }

private:
    worker_pool workers_{"caisson-state", 2};
    const zstd_state_packer packer_;
    thread_service service_;
};

}    // namespace caisson

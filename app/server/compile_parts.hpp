#pragma once

#include "app/compile/host_tools.hpp"
#include "app/compile/kept_results.hpp"
#include "core/base/config.hpp"

#include <memory>

namespace caisson {

/// The cache of compiler results in `<data>/compiled`, with its threads; inactive if the config switches it off. All arguments outlive it.
class compile_parts {
public:
    compile_parts(const server_config& config, io_executor executor, timers& time, logger& log);

    /// Null if the cache is switched off.
    compile_cache* cache() { return on_ ? &on_->results : nullptr; }
    /// Call before executions are recovered.
    task<> prepare();
    /// Inspects the host's tools. Call once the server is ready.
    task<> look_ahead();
    task<> stop();

private:
    struct parts {
        parts(const server_config& config, io_executor executor, timers& time, logger& log);
        host_tools tools;
        worker_pool workers{"caisson-compiled", 2};    // one may inspect the host's tools for a while
        kept_results results;
    };
    std::unique_ptr<parts> on_;
};

}    // namespace caisson

#pragma once

#include "app/compile/host_tools.hpp"
#include "app/compile/kept_results.hpp"
#include "core/base/config.hpp"

#include <memory>

namespace caisson {

/// The cache of what compilers made, in `<data>/compiled`, with its threads; nothing of it where it is switched off. What is passed in
/// outlives it.
class compile_parts {
public:
    compile_parts(const server_config& config, io_executor executor, timers& time, logger& log);

    /// Null: it is switched off.
    compile_cache* cache() { return on_ ? &on_->results : nullptr; }
    /// Before executions are taken up.
    task<> prepare();
    /// Looks at the host's tools; once the server is ready.
    task<> look_ahead();
    task<> stop();

private:
    struct parts {
        parts(const server_config& config, io_executor executor, timers& time, logger& log);
        host_tools tools;
        worker_pool workers{"caisson-compiled", 2};    // one may look at the host's tools for a while
        kept_results results;
    };
    std::unique_ptr<parts> on_;
};

}    // namespace caisson

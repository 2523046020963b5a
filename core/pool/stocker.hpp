#pragma once

#include "core/async/notifier.hpp"
#include "core/async/task_group.hpp"
#include "core/pool/idle_gate.hpp"
#include "core/pool/pool_demand.hpp"
#include "core/sandbox/services.hpp"

#include <map>

namespace caisson {

/// Has runtimes prepare sandboxes before they are asked for (sandbox_preparer) when no request needs the processors, so that an
/// execution for which no sandbox is ready waits for less. How many follows from how many were taken lately. I/O thread only.
class stocker {
public:
    /// `gate` outlives it.
    stocker(sandbox_services services, idle_gate& gate);

    /// Begins, on all runtimes that may make new sandboxes. Once; later calls do nothing.
    void begin(const sandbox_limits& limits);
    /// A sandbox is made on `where` for an execution that waits for it.
    void note(const runtime& where);
    /// Prepares nothing any more.
    void close();
    /// close(), removes what is prepared, and returns when that is done, or at `until`.
    task<> stop(steady_time until);

private:
    std::size_t target(const runtime& where) const;
    std::chrono::milliseconds patience(const runtime& where) const;
    task<> keep(runtime* where);
    task<> give_back(runtime* where, std::size_t kept);
    task<result<void>> prepare_one(runtime* where);

    const sandbox_services use_;
    idle_gate& idle_gate_;
    sandbox_limits limits_;
    std::map<const runtime*, pool_demand> demands_;
    notifier changed_;
    bool begun_ = false;
    bool stopping_ = false;
    task_group tasks_;
};

}    // namespace caisson

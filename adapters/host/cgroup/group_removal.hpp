#pragma once

#include "adapters/host/cgroup/control_group.hpp"
#include "core/async/offload.hpp"
#include "core/async/task.hpp"
#include "core/async/timers.hpp"

#include <vector>

namespace caisson {

/// Kills and removes a group and all below it. Errors: errc::timed_out if the kernel has not removed it by `deadline`.
task<result<void>> remove_group(timers& time, control_group group, steady_time deadline);
/// Likewise on `workers`, which outlive the call. `known` as in control_group::try_remove().
task<result<void>> remove_group(
    worker_pool& workers, timers& time, control_group group, std::vector<control_group> known, steady_time deadline);

}    // namespace caisson

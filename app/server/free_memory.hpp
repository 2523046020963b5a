#pragma once

#include "core/async/offload.hpp"
#include "core/async/timers.hpp"

namespace caisson {

/// Returns free memory to the system, until cancelled. It runs on one of `workers`: 100 MB take about 50 ms. Meanwhile malloc(3) locks the
/// arena in work and allocations in it wait; for that reason large texts are parsed in the workers' arenas. Both arguments outlive the
/// task.
task<> give_memory_back(timers* time, worker_pool* workers);

}    // namespace caisson

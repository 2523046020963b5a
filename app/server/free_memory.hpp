#pragma once

#include "core/async/offload.hpp"
#include "core/async/timers.hpp"

namespace caisson {

/// Gives memory that nobody uses back to the system, until it is cancelled: on one of `workers`, since 100 MB take some 50 ms. Meanwhile
/// malloc(3) holds the arena that is looked through, so who allocates in it waits: what is large is parsed in arenas of workers. What it
/// refers to outlives it.
task<> give_memory_back(timers* time, worker_pool* workers);

}    // namespace caisson

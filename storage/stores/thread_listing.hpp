#pragma once

#include "storage/stores/thread_rows.hpp"

namespace caisson::sqlite {

/// thread_store::list() of a thread that is there.
result<checkpoint_page> list_checkpoints(connection& db, const stored_thread& thread, const checkpoint_filter& filter, state_cache& cache);

}    // namespace caisson::sqlite

#pragma once

#include "app/backup/restore.hpp"

namespace caisson::backup {

struct ended_counts {
    std::size_t interrupted = 0;
    std::size_t waiting = 0;
};

/// Ends the unfinished executions in a copied data directory as interrupted, in log and record, and their sandboxes, which are the
/// original server's, as lost. Migrates the databases. Blocks. Throws storage_error.
result<ended_counts> end_what_ran(const std::filesystem::path& data_dir, waiting_executions waiting);

}    // namespace caisson::backup

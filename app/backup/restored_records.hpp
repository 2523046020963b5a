#pragma once

#include "app/backup/restore.hpp"

namespace caisson::backup {

struct ended_counts {
    std::size_t interrupted = 0;
    std::size_t waiting = 0;
};

/// Ends in the databases of a copied data directory what ran in the original: as interrupted, in log and record. Their
/// sandboxes are not this directory's. Brings the databases to the newest schema. Blocks. Throws storage_error.
result<ended_counts> end_what_ran(const std::filesystem::path& data_dir, waiting_executions waiting);

}    // namespace caisson::backup

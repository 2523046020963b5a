#pragma once

#include "app/backup/files.hpp"
#include "app/backup/manifest.hpp"

namespace caisson::backup {

/// How to treat executions that were queued when the backup was made. The original server may have run them since.
enum class waiting_executions { interrupt, run_again };

struct restore_options {
    std::filesystem::path source;      // a backup
    std::filesystem::path data_dir;    // to create: absent, or an empty directory
    waiting_executions waiting = waiting_executions::interrupt;
};

struct restore_summary {
    manifest from;
    std::size_t interrupted = 0;    // executions
    std::size_t waiting = 0;        // executions that run again
};

/// Creates a data directory from a backup: checks it, then puts it in place atomically. The next server on it has a new instance id, so it
/// leaves the original's sandboxes alone. Blocks. Errors: those of read_manifest(); errc::conflict if the data directory is not empty;
/// errc::bad_request if the backup is damaged or from a newer version. Throws storage_error, std::system_error and std::runtime_error with
/// a sentence for the operator.
result<restore_summary> restore(const restore_options& options, const progress& told);

}    // namespace caisson::backup

#pragma once

#include "app/backup/files.hpp"
#include "app/backup/manifest.hpp"

namespace caisson::backup {

/// What becomes of executions that waited when the backup was made. The original may have run them since.
enum class waiting_executions { interrupt, run_again };

struct restore_options {
    std::filesystem::path source;      // a backup
    std::filesystem::path data_dir;    // that will be: absent, or an empty directory
    waiting_executions waiting = waiting_executions::interrupt;
};

struct restore_summary {
    manifest from;
    std::size_t interrupted = 0;    // had not ended
    std::size_t waiting = 0;        // will run again
};

/// Makes a data directory from a backup: checked first, then put in place whole, or not at all. The next server on it is another
/// instance than the original's, whose sandboxes are left alone. Blocks. Errors: what read_manifest() says;
/// errc::conflict if there is something in the data directory; errc::bad_request if the backup is not what its manifest says.
/// Throws storage_error, std::system_error and std::runtime_error with a sentence for the operator.
result<restore_summary> restore(const restore_options& options, const progress& told);

}    // namespace caisson::backup

#pragma once

#include "app/backup/files.hpp"
#include "app/backup/manifest.hpp"

namespace caisson::backup {

struct backup_options {
    std::filesystem::path data_dir;
    std::filesystem::path target;    // the directory that the backup will be
    bool replace = false;            // a backup of that name
};

struct backup_summary {
    manifest made;
    std::size_t being_removed = 0;    // see snapshot_summary
};

/// Copies the databases of a data directory, on which a server may run, into a new directory with a manifest: whole and
/// durable, or not there. Blocks. Errors: errc::conflict if the target exists and is not a backup to be replaced. Throws
/// storage_error, std::system_error and std::runtime_error with a sentence for the operator.
result<backup_summary> make_backup(const backup_options& options, const progress& told);

}    // namespace caisson::backup

#pragma once

#include "app/backup/files.hpp"
#include "app/backup/manifest.hpp"

namespace caisson::backup {

struct backup_options {
    std::filesystem::path data_dir;
    std::filesystem::path target;    // the directory to create
    bool replace = false;            // replace an existing backup
};

struct backup_summary {
    manifest made;
    std::size_t being_removed = 0;    // see snapshot_summary
};

/// Copies the databases of a data directory, even of a running server, into a new directory with a manifest: complete and durable, or
/// not at all. Blocks. Errors: errc::conflict if the target exists, unless it is a backup to replace. Throws
/// storage_error, std::system_error and std::runtime_error with a sentence for the operator.
result<backup_summary> make_backup(const backup_options& options, const progress& told);

}    // namespace caisson::backup

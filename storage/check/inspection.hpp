#pragma once

#include "core/base/hasher.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace caisson {

enum class finding_weight {
    note,            // the server deals with it by itself
    disagreement,    // what is stored contradicts itself
    damage,          // a file cannot be read as what it should be
};

/// One thing that a person should know of a data directory.
struct storage_finding {
    finding_weight weight = finding_weight::note;
    std::string file;
    std::string what;
    std::string remedy;
};

struct inspection_report {
    bool server_is_running = false;
    std::vector<storage_finding> findings;    // of one kind at most 20, then one that counts the others

    /// No damage and no disagreement.
    bool is_clean() const;
};

/// Told what is being looked at, in a sentence.
using inspection_progress = std::function<void(const std::string&)>;

/// Looks at the databases of a data directory: each file's integrity, schema and references, then whether records, logs and contents
/// agree; with `deep` also every byte of contents and states, by their digests. Changes nothing (beside a server, or after one that was
/// killed, SQLite makes its -shm file); a server may run on it meanwhile: what only seems wrong because it was changing is looked at again.
/// Blocks. Throws storage_error if there is no such directory or it may not be read.
inspection_report inspect(const std::filesystem::path& data_dir, const inspection_progress& progress, hasher_factory deep = nullptr);

}    // namespace caisson

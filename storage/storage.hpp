#pragma once

#include "core/auth/ports.hpp"
#include "core/exec/ports.hpp"
#include "core/sandbox/ports.hpp"
#include "storage/errors.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>

namespace caisson {

/// Who opens a data directory.
enum class storage_access {
    server,    // one at a time
    tool,      // any number, also beside a server; never changes the schema under one
};

struct storage_options {
    storage_access access = storage_access::server;
    std::size_t readers = 2;    // threads with read-only connections, for each database
};

/// How much each writer has done since the start.
struct storage_counters {
    std::uint64_t record_writes = 0;
    std::uint64_t record_commits = 0;
    std::uint64_t event_writes = 0;
    std::uint64_t event_commits = 0;
};

/// The databases of one data directory (records.db, events.db) and the stores on them. Destroy it before the io_context
/// that its callers run on, when no coroutine will call a store again; queued writes are finished first. To remove an
/// execution erase its events before its record, so that a crash between the two leaves no events that nobody knows of.
class storage {
public:
    /// Makes the directory (0700) and the files (0600) if they do not exist, and brings them to the newest schema.
    /// Throws storage_error with a sentence that says what to do; storage_fault::locked names the other server's process.
    static std::unique_ptr<storage> open(const std::filesystem::path& data_dir, storage_options options = {});

    virtual ~storage() = default;
    virtual key_store& keys() = 0;
    virtual sandbox_store& sandboxes() = 0;
    virtual execution_store& executions() = 0;
    virtual event_store& events() = 0;
    /// From any thread.
    virtual storage_counters counters() const = 0;
};

}    // namespace caisson

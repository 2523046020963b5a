#pragma once

#include "core/auth/ports.hpp"
#include "core/base/hasher.hpp"
#include "core/exec/ports.hpp"
#include "core/files/ports.hpp"
#include "core/images/ports.hpp"
#include "core/sandbox/ports.hpp"
#include "core/skills/ports.hpp"
#include "core/threads/ports.hpp"
#include "core/webhooks/ports.hpp"
#include "storage/sqlite/errors.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>

namespace caisson {

/// Who opens a data directory.
enum class storage_access {
    server,    // one at a time
    tool,      // any number, also beside a server; never changes the schema under one
};

struct storage_options {
    storage_access access = storage_access::server;
    std::size_t readers = 2;                      // threads with read-only connections, for each database
    std::chrono::milliseconds patience{5'000};    // how long a write waits for another process that has the database
    /// Of a server's `reserve`: more than the write-ahead logs of a disk with little room, which go into the databases before anything is
    /// made room for.
    std::uint64_t reserve_bytes = 48 << 20;
    hasher_factory make_hasher = nullptr;    // of contents that are written; null: none can be
    // Write-ahead logs of this size go into the databases; that of the contents may grow to the second while files come in a burst: what
    // one run leaves at most by default is durable before any of it is written for the second time.
    std::int64_t log_bytes = 16 << 20;
    std::int64_t burst_log_bytes = 256 << 20;
    /// That of the records of a server has this size ahead, on a disk with room.
    std::int64_t ahead_log_bytes = 16 << 20;
};

/// How the databases are. A failure is a sentence for the operator, which may hold host paths; empty if there is none.
struct storage_health {
    std::string write_failure;    // nothing can be written now
    std::string damage;           // something was found damaged since the start; the rest is served
    std::uint64_t free_bytes = 0;

    bool is_low = false;    // less free than low_disk_bytes
};

/// With less than this on the disk an operator should act.
inline constexpr std::uint64_t low_disk_bytes = 64 << 20;

/// How much each writer has done since the start.
struct storage_counters {
    std::uint64_t record_writes = 0;
    std::uint64_t record_commits = 0;
    std::uint64_t event_writes = 0;
    std::uint64_t event_commits = 0;
    std::uint64_t content_writes = 0;
    std::uint64_t content_commits = 0;
};

/// The databases of one data directory (records.db, events.db, content.db) and the stores on them. Destroy it before the io_context
/// that its callers run on, when no coroutine will call a store again; queued writes are finished first. To remove an
/// execution erase its events before its record, so that a crash between the two leaves no events that nobody knows of.
/// A server keeps a `reserve` file there, which is given up when something is to be removed from a full disk.
class storage {
public:
    /// Makes the directory (0700) and the files (0600) if they do not exist, and brings them to the newest schema.
    /// Throws storage_error with a sentence that says what to do; storage_fault::locked names the other server's process.
    /// A damaged directory is left as it is, but for the two lock files and SQLite's shared memory (-shm).
    static std::unique_ptr<storage> open(const std::filesystem::path& data_dir, storage_options options = {});

    virtual ~storage() = default;
    virtual key_store& keys() = 0;
    virtual sandbox_store& sandboxes() = 0;
    virtual execution_store& executions() = 0;
    virtual event_store& events() = 0;
    virtual skill_store& skills() = 0;
    virtual content_store& contents() = 0;
    virtual artifact_store& artifacts() = 0;
    virtual signing_key_store& signing_keys() = 0;
    virtual webhook_store& webhooks() = 0;
    virtual allowed_image_store& allowed_images() = 0;
    virtual thread_store& threads() = 0;
    /// Of each tenant what is counted: what is kept of its ended executions, contents as they are stored, and states of threads.
    virtual task<std::map<tenant_id, std::int64_t>> bytes_by_tenant() = 0;
    /// Goes on with removals, and with giving back what they left free, which a full disk has held up. Returns at once.
    virtual void make_room() = 0;
    /// Writes to each database to see whether it can. Waits no longer than a write does.
    virtual task<storage_health> look() = 0;
    /// From any thread.
    virtual storage_counters counters() const = 0;
};

}    // namespace caisson

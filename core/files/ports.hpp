#pragma once

#include "core/async/task.hpp"
#include "core/base/error.hpp"
#include "core/base/shared_bytes.hpp"
#include "core/files/types.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace caisson {

/// Writes one content piece by piece. Destroying it before finish() returned drops the written bytes. I/O thread; one call at a time.
class content_writer {
public:
    virtual ~content_writer() = default;
    /// Returns when the writer can take more; it buffers a few megabytes at most. Errors: errc::runtime_unavailable if the disk is full
    /// or busy; after an error only destroy the writer. Other disk failures are exceptions.
    virtual task<result<void>> write(shared_bytes bytes) = 0;
    /// The content is durable on return, or with a content_batch after its commit(). Do not call anything afterwards. The janitor removes
    /// a content that no record names, an hour after its finish. Errors as write().
    virtual task<result<content_info>> finish() = 0;
};

/// Contents of one tenant that become durable together, for many small ones that would wait for the disk one by one. I/O thread.
class content_batch {
public:
    /// Drops all contents since the last successful commit().
    virtual ~content_batch() = default;
    /// One writer at a time: destroy it, finished or not, before the next one and before the batch.
    virtual std::unique_ptr<content_writer> create() = 0;
    /// Finishes a content of at most most_at_once bytes in one step, without a wait; call make_room() after a few. All but the first such
    /// contents are packed together: equal bytes are then deduplicated only if their neighbours are equal too.
    virtual content_info add(shared_bytes content) = 0;
    static constexpr std::size_t most_at_once = 16 << 10;
    /// Returns when the batch can take more. Errors as content_writer::write().
    virtual task<result<void>> make_room() = 0;
    /// All finished contents are durable on return. Errors as content_writer::write(); after an error no content since the last commit is
    /// kept.
    virtual task<result<void>> commit() = 0;
};

/// The contents that a search for contents without a record looks at.
struct content_filter {
    content_id after;                       // only ids after it; empty: from the first
    std::int64_t finished_before_ms = 0;    // exclusive
    std::size_t limit = 100;
};

struct owned_content {
    tenant_id tenant;
    content_id content;
    bool operator==(const owned_content&) const = default;
};

/// Contents in content-addressed chunks of 256 KiB, deduplicated within a tenant. Unfinished, erased and other tenants' contents
/// are errc::not_found. Call from the I/O thread; the work runs on the store's own threads.
class content_store {
public:
    virtual ~content_store() = default;
    /// The store must outlive the writer, and the batch below.
    virtual std::unique_ptr<content_writer> create(tenant_id tenant) = 0;
    virtual std::unique_ptr<content_batch> create_batch(tenant_id tenant) = 0;
    /// The bytes from `offset`: at least one except at the end, and at most `max_bytes` (bounded by 1 MiB). Errors: errc::not_found.
    virtual task<result<shared_bytes>> read(tenant_id tenant, content_id id, std::int64_t offset, std::size_t max_bytes) = 0;
    /// Errors: errc::not_found.
    virtual task<result<content_info>> find(tenant_id tenant, content_id id) = 0;
    /// The contents cannot be found any more on return. Chunks that no other content of the tenant uses are removed afterwards, in small
    /// batches. Idempotent; also frees space on a full disk.
    virtual task<result<void>> erase(tenant_id tenant, std::vector<content_id> ids) = 0;
    /// Finished contents in the order of their ids, without those of living writers and batches. An empty answer is the end. For the search
    /// for contents without a record.
    virtual task<result<std::vector<owned_content>>> list(content_filter wanted) = 0;
    /// Stored bytes of the tenant's chunks, each counted once. Erased contents count until their chunks are removed.
    virtual task<result<std::int64_t>> stored_bytes(tenant_id tenant) = 0;
    /// A lower bound of the stored bytes that stay: stored_bytes() minus the full sizes of contents that are erased, given up or being
    /// written. One consistent read; may be negative.
    virtual task<result<std::int64_t>> kept_bytes(tenant_id tenant) = 0;
};

/// The contents of artifacts whose records were removed.
struct erased_artifacts {
    std::vector<content_id> contents;
    std::int64_t bytes = 0;    // of all of them
};

/// Records of artifacts. execution_store::finish() adds them. Operations that remove records return their contents, which the caller
/// erases; the janitor finds contents that a caller did not erase. Call from the I/O thread.
class artifact_store {
public:
    virtual ~artifact_store() = default;
    /// Artifacts after the path `after` (empty: from the first), sorted by path (by bytes), at most `limit`.
    virtual task<result<std::vector<artifact_row>>> list(
        tenant_id tenant, execution_id execution, std::string after, std::size_t limit) = 0;
    /// The paths of the first `limit` artifacts of list(), in a fifth of its time.
    virtual task<result<std::vector<std::string>>> paths(tenant_id tenant, execution_id execution, std::size_t limit) = 0;
    /// Errors: errc::not_found.
    virtual task<result<artifact_row>> find(tenant_id tenant, execution_id execution, std::string path) = 0;
    /// Removes one. Errors: errc::not_found.
    virtual task<result<content_id>> erase(tenant_id tenant, execution_id execution, std::string path) = 0;
    /// Removes an execution's artifacts, at most `limit` in one call. An empty answer is the end.
    virtual task<result<std::vector<content_id>>> erase_all(tenant_id tenant, execution_id execution, std::size_t limit) = 0;
    /// Removes artifacts of all tenants that expired at `now_ms` or before, the oldest first, at most `limit`.
    virtual task<result<std::vector<owned_content>>> erase_expired(std::int64_t now_ms, std::size_t limit) = 0;
    /// Removes a tenant's oldest artifacts until at most `max_bytes` are left, at most `limit` in one call. An empty answer is the end.
    virtual task<result<std::vector<content_id>>> erase_beyond(tenant_id tenant, std::int64_t max_bytes, std::size_t limit) = 0;
    /// Removes a tenant's oldest artifacts until `bytes` are removed, at most `limit` in one call. An empty answer is the end.
    virtual task<result<erased_artifacts>> erase_oldest(tenant_id tenant, std::int64_t bytes, std::size_t limit) = 0;
    /// Tenants with artifacts, in the order of their ids.
    virtual task<result<std::vector<tenant_id>>> tenants() = 0;
    /// Count and bytes of the tenant's artifacts. Leaves content_usage::stored_bytes 0: see content_store::stored_bytes().
    virtual task<result<content_usage>> usage(tenant_id tenant) = 0;
    /// Those of `ids` that an artifact or a skill package names, in the order of `ids`.
    virtual task<result<std::vector<content_id>>> named(std::vector<content_id> ids) = 0;
};

/// A key that signs addresses of artifacts.
struct signing_key {
    std::int64_t id = 0;    // never reused
    std::string secret;     // raw bytes
    std::int64_t created_at_ms = 0;
    std::optional<std::int64_t> retired_at_ms;    // signs nothing from then on; its signatures stay valid
};

/// Signing keys. Call from the I/O thread. Changes are durable on return.
class signing_key_store {
public:
    virtual ~signing_key_store() = default;
    /// The key that signs now. If there is none, makes one with `fresh_secret`.
    virtual task<result<signing_key>> current(std::string fresh_secret, std::int64_t now_ms) = 0;
    /// Retires the current key and makes the next one with `fresh_secret`.
    virtual task<result<signing_key>> rotate(std::string fresh_secret, std::int64_t now_ms) = 0;
    /// All keys that are not erased, the newest first.
    virtual task<result<std::vector<signing_key>>> list() = 0;
    /// Erases keys that were retired before `before_ms`, which invalidates their signatures. Returns the number of keys.
    virtual task<result<std::size_t>> erase_retired(std::int64_t before_ms) = 0;
};

}    // namespace caisson

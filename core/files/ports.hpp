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

/// Takes one content piece by piece. Destroying it before finish() returned drops what was written. I/O thread; of one writer
/// one call at a time.
class content_writer {
public:
    virtual ~content_writer() = default;
    /// Returns when there is room for more: a few megabytes wait at most. Errors: errc::runtime_unavailable if the disk is full or
    /// busy; then only destroy it. Other failures of the disk are exceptions.
    virtual task<result<void>> write(shared_bytes bytes) = 0;
    /// All is durable on return; of a content_batch's writer only when that was committed. Nothing is to be called afterwards.
    /// A content that no record names is removed by the janitor, an hour after it was finished. Errors as write().
    virtual task<result<content_info>> finish() = 0;
};

/// Contents of one tenant that become durable together: many small ones, which would wait for the disk one by one. I/O thread.
class content_batch {
public:
    /// Drops what was finished since the last commit() that succeeded.
    virtual ~content_batch() = default;
    /// One writer at a time: destroy it, finished or not, before the next one and before the batch.
    virtual std::unique_ptr<content_writer> create() = 0;
    /// Finishes a content of at most most_at_once bytes in one step, which does not wait: after a few of them make_room(). But for the
    /// first ones such contents lie together: then the same bytes are stored once only if those of their neighbours are the same too.
    virtual content_info add(shared_bytes content) = 0;
    static constexpr std::size_t most_at_once = 16 << 10;
    /// Returns when there is room for more, as content_writer::write() does. Errors as it.
    virtual task<result<void>> make_room() = 0;
    /// All that was finished is durable on return. Errors as content_writer::write(): of all since the last commit nothing is kept.
    virtual task<result<void>> commit() = 0;
};

/// Which contents a search for those without a record looks at.
struct content_filter {
    content_id after;                       // only ids behind it; empty: from the first on
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
    /// The store outlives what it creates.
    virtual std::unique_ptr<content_writer> create(tenant_id tenant) = 0;
    virtual std::unique_ptr<content_batch> create_batch(tenant_id tenant) = 0;
    /// From `offset` on, at least one byte unless it is the end, and at most `max_bytes` (bounded by 1 MiB). Errors: errc::not_found.
    virtual task<result<shared_bytes>> read(tenant_id tenant, content_id id, std::int64_t offset, std::size_t max_bytes) = 0;
    /// Errors: errc::not_found.
    virtual task<result<content_info>> find(tenant_id tenant, content_id id) = 0;
    /// Idempotent; also makes room on a full disk. On return nobody finds them any more. Chunks that nothing else of the tenant
    /// has go afterwards, in small batches.
    virtual task<result<void>> erase(tenant_id tenant, std::vector<content_id> ids) = 0;
    /// Finished contents in the order of their ids, but for those of writers and batches that still live. An empty answer is the
    /// end: for the search of those that no record names.
    virtual task<result<std::vector<owned_content>>> list(content_filter wanted) = 0;
    /// What the tenant's chunks take, each counted once; what was erased counts until its chunks are gone.
    virtual task<result<std::int64_t>> stored_bytes(tenant_id tenant) = 0;
    /// The same at one moment without what goes by itself, or is not finished: what was erased, given up or is being written, each content
    /// whole. At least so much stays; may be less than 0.
    virtual task<result<std::int64_t>> kept_bytes(tenant_id tenant) = 0;
};

/// Artifacts whose records were removed.
struct erased_artifacts {
    std::vector<content_id> contents;
    std::int64_t bytes = 0;    // of all of them
};

/// Records of artifacts. They come with the end of their execution: execution_store::finish(). Each operation that removes
/// records returns their contents, which the caller erases; what it does not get to is found by the janitor. Call from the I/O
/// thread.
class artifact_store {
public:
    virtual ~artifact_store() = default;
    /// In the order of their paths (by bytes), those behind `after` (empty: from the first on), at most `limit`.
    virtual task<result<std::vector<artifact_row>>> list(
        tenant_id tenant, execution_id execution, std::string after, std::size_t limit) = 0;
    /// Of the first `limit` of list() their paths, which takes a fifth of the time.
    virtual task<result<std::vector<std::string>>> paths(tenant_id tenant, execution_id execution, std::size_t limit) = 0;
    /// Errors: errc::not_found.
    virtual task<result<artifact_row>> find(tenant_id tenant, execution_id execution, std::string path) = 0;
    /// Removes one. Errors: errc::not_found.
    virtual task<result<content_id>> erase(tenant_id tenant, execution_id execution, std::string path) = 0;
    /// Removes those of an execution, at most `limit`. An empty answer is the end.
    virtual task<result<std::vector<content_id>>> erase_all(tenant_id tenant, execution_id execution, std::size_t limit) = 0;
    /// Removes those that expired at `now_ms` or before, of any tenant, the oldest first, at most `limit`.
    virtual task<result<std::vector<owned_content>>> erase_expired(std::int64_t now_ms, std::size_t limit) = 0;
    /// Removes a tenant's oldest until at most `max_bytes` are left, at most `limit` in one call. An empty answer is the end.
    virtual task<result<std::vector<content_id>>> erase_beyond(tenant_id tenant, std::int64_t max_bytes, std::size_t limit) = 0;
    /// Removes a tenant's oldest until they were `bytes`, at most `limit` in one call. An empty answer is the end.
    virtual task<result<erased_artifacts>> erase_oldest(tenant_id tenant, std::int64_t bytes, std::size_t limit) = 0;
    /// Tenants that have any, in the order of their ids.
    virtual task<result<std::vector<tenant_id>>> tenants() = 0;
    /// How many and how many bytes; stored_bytes is the content_store's to say.
    virtual task<result<content_usage>> usage(tenant_id tenant) = 0;
    /// Which of `ids` artifacts or skill packages name, in their order.
    virtual task<result<std::vector<content_id>>> named(std::vector<content_id> ids) = 0;
};

/// What addresses of artifacts are signed with.
struct signing_key {
    std::int64_t id = 0;    // never given twice
    std::string secret;     // raw bytes
    std::int64_t created_at_ms = 0;
    std::optional<std::int64_t> retired_at_ms;    // signs nothing new since; what it signed is still good
};

/// Keys that sign. Call from the I/O thread. Every change is durable when its call returns.
class signing_key_store {
public:
    virtual ~signing_key_store() = default;
    /// The key that signs now. Where there is none yet it is made of `fresh_secret`.
    virtual task<result<signing_key>> current(std::string fresh_secret, std::int64_t now_ms) = 0;
    /// Retires the current key and makes the next one of `fresh_secret`.
    virtual task<result<signing_key>> rotate(std::string fresh_secret, std::int64_t now_ms) = 0;
    /// All that are still known, the newest first.
    virtual task<result<std::vector<signing_key>>> list() = 0;
    /// Forgets keys that were retired before `before_ms`: what they signed is good no more. Says how many.
    virtual task<result<std::size_t>> erase_retired(std::int64_t before_ms) = 0;
};

}    // namespace caisson

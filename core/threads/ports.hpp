#pragma once

#include "core/async/task.hpp"
#include "core/base/change_clock.hpp"
#include "core/base/error.hpp"
#include "core/base/shared_bytes.hpp"
#include "core/threads/chain_rules.hpp"
#include "core/threads/metadata_rules.hpp"
#include "core/threads/types.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace caisson {

/// A stored state that others of its thread can be packed against.
struct packing_base {
    std::int64_t key = 0;    // assigned by the store
    std::string digest;      // raw
    shared_bytes text;
    std::int64_t packed_bytes = 0;
};

/// A state as it is stored.
struct packed_state {
    state_info info;
    std::string digest;                  // raw
    std::optional<std::int64_t> base;    // key of the base that it was packed against
    std::string base_digest;             // digest of that base, raw
    shared_bytes bytes;
};

/// Compresses states. Thread-safe.
class state_packer {
public:
    virtual ~state_packer() = default;
    /// `info` and `digest` describe `text`. Uses `base`, if not null, only where that makes the result much smaller.
    virtual packed_state pack(state_info info, std::string digest, std::string_view text, const packing_base* base) const = 0;
    /// True if a base is worth loading for a text of this size.
    virtual bool wants_base(std::size_t text_bytes) const = 0;
};

/// Storage limits of one tenant.
struct thread_bounds_of_tenant {
    std::int64_t max_bytes = 10LL << 30;    // stored states and metadata
    std::int64_t max_threads = 1'000'000;
};

/// Storage that a tenant uses.
struct thread_usage {
    std::int64_t threads = 0;
    std::int64_t checkpoints = 0;
    std::int64_t states = 0;    // distinct
    std::int64_t bytes = 0;     // removed data counts until it is erased
    bool operator==(const thread_usage&) const = default;
};

/// A checkpoint that is to be saved.
struct checkpoint_draft {
    checkpoint_row row;      // without position, parent and gap; its id is used if the request has none
    save_request request;    // with a raw digest
    packed_state state;
};

/// A checkpoint that is stored together with the end of an execution.
struct checkpoint_end {
    checkpoint_draft draft;
    retention_policy defaults;
    thread_bounds_of_tenant bounds;
};

/// Builds the checkpoint that an execution writes when it ends. I/O thread.
class checkpoint_maker {
public:
    virtual ~checkpoint_maker() = default;
    /// `state` is JSON. Errors: errc::too_large, errc::bad_request.
    virtual task<result<checkpoint_end>> make(
        tenant_id tenant, checkpoint_order order, std::string state, checkpoint_references references) = 0;
    /// Hold the result while the checkpoint from make() is stored.
    virtual change_clock::change changing(const tenant_id& tenant, const thread_name& thread) = 0;
};

enum class save_outcome {
    appended,
    repeated,      // it was saved before; `row` is the earlier checkpoint
    superseded,    // if_latest does not hold; `row` is the latest checkpoint, or empty
    base_gone,     // the base that the state was packed against was removed; nothing was changed
};

struct saved_checkpoint {
    save_outcome outcome = save_outcome::appended;
    checkpoint_row row;
};

/// A checkpoint with its state.
struct loaded_checkpoint {
    checkpoint_row row;
    shared_bytes state;     // empty unless requested
    std::string request;    // raw digest of the save request, to detect repeats; empty: not made by save()
};

/// A place in a thread: a time (Unix milliseconds) or a checkpoint.
using checkpoint_bound = std::variant<std::int64_t, checkpoint_id>;

enum class list_order { oldest_first, newest_first };

struct checkpoint_filter {
    std::optional<std::int64_t> thread_key;    // errc::not_found if a new thread has taken the name
    metadata_filter metadata;
    std::optional<checkpoint_bound> after;     // inclusive
    std::optional<checkpoint_bound> before;    // inclusive
    list_order order = list_order::newest_first;
    std::optional<std::int64_t> beyond;    // only positions after this one, in list order
    std::size_t limit = 50;
    bool with_states = false;
    std::size_t most_bytes = 8 << 20;       // a page ends with the checkpoint that reaches this size
    std::size_t most_looked_at = 20'000;    // checkpoints whose tags and custom metadata are read
};

/// Bytes of a checkpoint's metadata and references.
inline std::size_t text_bytes(const checkpoint_row& row)
{
    std::size_t sum = row.metadata.custom.size() + row.metadata.node_id.size();
    for (const auto& tag : row.metadata.tags)
        sum += tag.size();
    for (const auto& artifact : row.references.artifacts)
        sum += artifact.path.size();
    return sum;
}

struct checkpoint_page {
    std::vector<loaded_checkpoint> items;
    std::optional<std::int64_t> next;    // `beyond` for the next page; nullopt: this is the last page
};

struct rolled_back {
    checkpoint_row latest;
    std::int64_t removed = 0;    // checkpoints
};

/// An import in progress. It becomes a thread in finish_import().
struct thread_import {
    tenant_id tenant;
    std::int64_t key = 0;    // assigned by the store
};

/// Threads, checkpoints and their states. Those of other tenants are errc::not_found. Each operation is one transaction, durable on
/// return. Beyond a quota it fails with errc::quota_exceeded, with facts, and changes nothing. Call from the I/O thread.
class thread_store {
public:
    virtual ~thread_store() = default;

    /// Saves as decide_save() decides. Creates a missing thread, with `defaults`. The same transaction drops up to 64 checkpoints beyond
    /// the thread's retention policy. Errors: those of decide_save(); errc::bad_request if a reference of the draft does not exist;
    /// errc::quota_exceeded.
    virtual task<result<saved_checkpoint>> save(checkpoint_draft draft, retention_policy defaults, thread_bounds_of_tenant bounds) = 0;
    /// The best base for the thread's next state; nullopt if there is none.
    virtual task<result<std::optional<packing_base>>> base_of(tenant_id tenant, thread_name thread) = 0;

    /// The latest checkpoint if `id` is nullopt. Errors: errc::not_found.
    virtual task<result<loaded_checkpoint>> find(
        tenant_id tenant, thread_name thread, std::optional<checkpoint_id> id, bool with_state) = 0;
    /// Errors: errc::not_found if there is no such thread; errc::bad_request if a bound names no checkpoint of it.
    virtual task<result<checkpoint_page>> list(tenant_id tenant, thread_name thread, checkpoint_filter filter) = 0;
    /// Links the children of the checkpoint to its parent. Errors: errc::not_found.
    virtual task<result<void>> erase(tenant_id tenant, thread_name thread, checkpoint_id id, std::int64_t now_ms) = 0;
    /// Retention keeps pinned checkpoints. Errors: errc::not_found.
    virtual task<result<checkpoint_row>> pin(tenant_id tenant, thread_name thread, checkpoint_id id, bool pinned) = 0;

    /// Errors: errc::not_found.
    virtual task<result<thread_row>> find_thread(tenant_id tenant, thread_name thread) = 0;
    /// The threads after `after`, ordered by name.
    virtual task<result<std::vector<thread_row>>> list_threads(tenant_id tenant, thread_name after, std::size_t limit) = 0;
    /// Creates the thread if it does not exist. Drops nothing: that is for retain().
    virtual task<result<thread_row>> set_policy(
        tenant_id tenant, thread_name thread, retention_policy policy, std::int64_t now_ms, thread_bounds_of_tenant bounds) = 0;
    /// False if there is none. It cannot be found on return; its rows go later.
    virtual task<result<bool>> erase_thread(tenant_id tenant, thread_name thread) = 0;

    /// Appends a copy of `to` with the id `copy`. Errors: errc::not_found, errc::quota_exceeded.
    virtual task<result<checkpoint_row>> roll_back_by_copy(tenant_id tenant, thread_name thread, checkpoint_id to, checkpoint_id copy,
        std::int64_t now_ms, thread_bounds_of_tenant bounds) = 0;
    /// Removes all checkpoints after `to`. Errors: errc::not_found; errc::conflict if one of them is pinned.
    virtual task<result<rolled_back>> roll_back_by_removal(tenant_id tenant, thread_name thread, checkpoint_id to, std::int64_t now_ms) = 0;
    /// Creates thread `name` with one checkpoint, with the id `copy` and the state of `of` (nullopt: the latest). Errors: errc::not_found,
    /// errc::conflict if the name is taken, errc::quota_exceeded.
    virtual task<result<thread_row>> branch(tenant_id tenant, thread_name from, std::optional<checkpoint_id> of, thread_name name,
        checkpoint_id copy, std::int64_t now_ms, thread_bounds_of_tenant bounds) = 0;

    /// Drops checkpoints beyond the thread's retention policy, oldest first, at most `limit`. Returns how many; 0 if none is left.
    virtual task<result<std::size_t>> retain(tenant_id tenant, thread_name thread, std::int64_t now_ms, std::size_t limit) = 0;
    /// True if a checkpoint of any thread expires by `now_ms`.
    virtual task<result<bool>> has_due(std::int64_t now_ms) = 0;
    /// As retain(), for all threads with expired checkpoints.
    virtual task<result<std::size_t>> retain_due(std::int64_t now_ms, std::size_t limit) = 0;

    virtual task<result<thread_usage>> usage(tenant_id tenant) = 0;

    /// Errors: errc::quota_exceeded.
    virtual task<result<thread_import>> begin_import(tenant_id tenant, std::int64_t now_ms, thread_bounds_of_tenant bounds) = 0;
    /// Adds checkpoints with their positions, parents and gaps. A state's bytes may be empty if a state with its digest was imported
    /// before. Errors: errc::bad_request if a state or a parent is missing; errc::quota_exceeded.
    virtual task<result<void>> add_imported(thread_import to, std::vector<checkpoint_draft> drafts, thread_bounds_of_tenant bounds) = 0;
    /// As base_of(), for the checkpoints imported so far.
    virtual task<result<std::optional<packing_base>>> base_of_import(thread_import of) = 0;
    /// Makes the import a thread. Errors: errc::conflict if the name is taken.
    virtual task<result<thread_row>> finish_import(thread_import which, thread_name name, retention_policy policy, std::int64_t now_ms) = 0;
    virtual task<result<void>> drop_import(thread_import which) = 0;
};

}    // namespace caisson

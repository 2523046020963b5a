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

/// A state that others of its thread are packed against.
struct packing_base {
    std::int64_t key = 0;    // the store's own name for it
    std::string digest;      // raw
    shared_bytes text;
    std::int64_t packed_bytes = 0;
};

/// A state as it is stored.
struct packed_state {
    state_info info;
    std::string digest;                  // raw
    std::optional<std::int64_t> base;    // key of what it was packed against
    std::string base_digest;             // and its digest, raw
    shared_bytes bytes;
};

/// Makes states small. From any thread.
class state_packer {
public:
    virtual ~state_packer() = default;
    /// `info` and `digest` are of `text`. It uses `base` where that makes it much smaller; null: there is none.
    virtual packed_state pack(state_info info, std::string digest, std::string_view text, const packing_base* base) const = 0;
    /// Whether texts of this size are worth a base.
    virtual bool wants_base(std::size_t text_bytes) const = 0;
};

/// What a tenant may have.
struct thread_bounds_of_tenant {
    std::int64_t max_bytes = 10LL << 30;    // of states as they are stored, and metadata
    std::int64_t max_threads = 1'000'000;
};

/// What a tenant has.
struct thread_usage {
    std::int64_t threads = 0;
    std::int64_t checkpoints = 0;
    std::int64_t states = 0;    // different ones
    std::int64_t bytes = 0;     // what was removed counts until it is gone
    bool operator==(const thread_usage&) const = default;
};

/// A checkpoint that is to be saved.
struct checkpoint_draft {
    checkpoint_row row;      // without position, parent and gap; its id is what it gets if the request has none
    save_request request;    // its digest raw
    packed_state state;
};

/// A checkpoint that comes with the end of an execution.
struct checkpoint_end {
    checkpoint_draft draft;
    retention_policy defaults;
    thread_bounds_of_tenant bounds;
};

/// Makes what an execution was told to write. I/O thread.
class checkpoint_maker {
public:
    virtual ~checkpoint_maker() = default;
    /// `state` is JSON. Errors: errc::too_large, errc::bad_request.
    virtual task<result<checkpoint_end>> make(
        tenant_id tenant, checkpoint_order order, std::string state, checkpoint_references references) = 0;
    /// To be held while what was made is stored.
    virtual change_clock::change changing(const tenant_id& tenant, const thread_name& thread) = 0;
};

enum class save_outcome {
    appended,
    repeated,      // it was saved before: `row` is that one
    superseded,    // if_latest does not hold: `row` is the current one, or empty
    base_gone,     // what the state was packed against is not there any more; nothing was changed
};

struct saved_checkpoint {
    save_outcome outcome = save_outcome::appended;
    checkpoint_row row;
};

/// A checkpoint with what it is of.
struct loaded_checkpoint {
    checkpoint_row row;
    shared_bytes state;     // empty where it was not asked for
    std::string request;    // digest of the save's request, raw, by which a repeat is told; empty: it was no save
};

/// A place in a thread: a time (Unix milliseconds) or one of its checkpoints.
using checkpoint_bound = std::variant<std::int64_t, checkpoint_id>;

enum class list_order { oldest_first, newest_first };

struct checkpoint_filter {
    std::optional<std::int64_t> thread_key;    // errc::not_found if the thread of that name is another by now
    metadata_filter metadata;
    std::optional<checkpoint_bound> after;     // inclusive
    std::optional<checkpoint_bound> before;    // inclusive
    list_order order = list_order::newest_first;
    std::optional<std::int64_t> beyond;    // only positions behind this one, in the order of the list
    std::size_t limit = 50;
    bool with_states = false;
    std::size_t most_bytes = 8 << 20;       // a page ends with the checkpoint whose state, metadata and references come to so many
    std::size_t most_looked_at = 20'000;    // checkpoints whose tags and custom metadata are looked at
};

/// Bytes of what a checkpoint has beside its state: metadata and references.
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
    std::optional<std::int64_t> next;    // what `beyond` is for the next page; nothing: this is the last
};

struct rolled_back {
    checkpoint_row latest;
    std::int64_t removed = 0;    // checkpoints
};

/// A thread that is to be made of what comes from elsewhere.
struct thread_import {
    tenant_id tenant;
    std::int64_t key = 0;    // the store's own name for what was written so far
};

/// Threads, checkpoints and their states. Other tenants' are errc::not_found, as what is not there. Each operation is one transaction,
/// durable on return. Full: errc::quota_exceeded with facts; nothing was changed then. Call from the I/O thread.
class thread_store {
public:
    virtual ~thread_store() = default;

    /// Decides by decide_save() and saves; a thread that is not there is made, with `defaults`. What the thread's policy has no room for
    /// goes in the same transaction, at most 64. Errors: those of decide_save(); errc::bad_request if the draft refers to what is not
    /// there; errc::quota_exceeded.
    virtual task<result<saved_checkpoint>> save(checkpoint_draft draft, retention_policy defaults, thread_bounds_of_tenant bounds) = 0;
    /// What the next state of the thread is best packed against; nothing if there is none, or no thread.
    virtual task<result<std::optional<packing_base>>> base_of(tenant_id tenant, thread_name thread) = 0;

    /// `id` nothing: the latest. Errors: errc::not_found.
    virtual task<result<loaded_checkpoint>> find(
        tenant_id tenant, thread_name thread, std::optional<checkpoint_id> id, bool with_state) = 0;
    /// Errors: errc::not_found for the thread; errc::bad_request for a bound that names no checkpoint of it.
    virtual task<result<checkpoint_page>> list(tenant_id tenant, thread_name thread, checkpoint_filter filter) = 0;
    /// Its children are hung on its parent. Errors: errc::not_found.
    virtual task<result<void>> erase(tenant_id tenant, thread_name thread, checkpoint_id id, std::int64_t now_ms) = 0;
    /// Retention leaves pinned ones alone. Errors: errc::not_found.
    virtual task<result<checkpoint_row>> pin(tenant_id tenant, thread_name thread, checkpoint_id id, bool pinned) = 0;

    /// Errors: errc::not_found.
    virtual task<result<thread_row>> find_thread(tenant_id tenant, thread_name thread) = 0;
    /// In the order of their names, those behind `after`.
    virtual task<result<std::vector<thread_row>>> list_threads(tenant_id tenant, thread_name after, std::size_t limit) = 0;
    /// Makes the thread if it is not there. What is too much stays for retain().
    virtual task<result<thread_row>> set_policy(
        tenant_id tenant, thread_name thread, retention_policy policy, std::int64_t now_ms, thread_bounds_of_tenant bounds) = 0;
    /// False if there is none. Nobody finds it on return; its rows go afterwards.
    virtual task<result<bool>> erase_thread(tenant_id tenant, thread_name thread) = 0;

    /// A copy of `to` becomes the newest, called `copy`. Errors: errc::not_found, errc::quota_exceeded.
    virtual task<result<checkpoint_row>> roll_back_by_copy(tenant_id tenant, thread_name thread, checkpoint_id to, checkpoint_id copy,
        std::int64_t now_ms, thread_bounds_of_tenant bounds) = 0;
    /// All behind `to` go. Errors: errc::not_found; errc::conflict if one of them is pinned.
    virtual task<result<rolled_back>> roll_back_by_removal(tenant_id tenant, thread_name thread, checkpoint_id to, std::int64_t now_ms) = 0;
    /// Makes thread `name` with one checkpoint, called `copy`, of the same state as `of` (nothing: the latest). Errors: errc::not_found,
    /// errc::conflict if the name is taken, errc::quota_exceeded.
    virtual task<result<thread_row>> branch(tenant_id tenant, thread_name from, std::optional<checkpoint_id> of, thread_name name,
        checkpoint_id copy, std::int64_t now_ms, thread_bounds_of_tenant bounds) = 0;

    /// Drops what the thread's policy has no room or time for, the oldest first, at most `limit`; says how many. 0 is the end.
    virtual task<result<std::size_t>> retain(tenant_id tenant, thread_name thread, std::int64_t now_ms, std::size_t limit) = 0;
    /// Whether something of a thread runs out by `now_ms`.
    virtual task<result<bool>> has_due(std::int64_t now_ms) = 0;
    /// The same as retain() of all threads of which something does.
    virtual task<result<std::size_t>> retain_due(std::int64_t now_ms, std::size_t limit) = 0;

    virtual task<result<thread_usage>> usage(tenant_id tenant) = 0;

    /// Errors: errc::quota_exceeded.
    virtual task<result<thread_import>> begin_import(tenant_id tenant, std::int64_t now_ms, thread_bounds_of_tenant bounds) = 0;
    /// Rows have their positions, parents and gaps; a state's bytes may be empty if one of its digest was imported before.
    /// Errors: errc::bad_request if a state or a parent is missing; errc::quota_exceeded.
    virtual task<result<void>> add_imported(thread_import to, std::vector<checkpoint_draft> drafts, thread_bounds_of_tenant bounds) = 0;
    /// base_of() of what was imported so far.
    virtual task<result<std::optional<packing_base>>> base_of_import(thread_import of) = 0;
    /// It is a thread from now on. Errors: errc::conflict if the name is taken.
    virtual task<result<thread_row>> finish_import(thread_import which, thread_name name, retention_policy policy, std::int64_t now_ms) = 0;
    virtual task<result<void>> drop_import(thread_import which) = 0;
};

}    // namespace caisson

#pragma once

#include "core/async/offload.hpp"
#include "core/async/timers.hpp"
#include "core/base/hasher.hpp"
#include "core/base/ids.hpp"
#include "core/base/log.hpp"
#include "core/base/storage_gate.hpp"
#include "core/fairness/fair_workers.hpp"
#include "core/threads/ports.hpp"
#include "core/threads/state_text.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace caisson {

struct thread_options {
    state_bounds state = {.max_bytes = 4 << 20};
    retention_policy defaults;
    thread_bounds_of_tenant bounds;
    std::chrono::milliseconds round_interval{5'000};    // between two searches for expired checkpoints
    std::size_t batch = 200;                            // checkpoints dropped per transaction
};

/// The collaborators of a thread_service; all outlive it.
struct thread_services {
    io_executor executor;
    timers& time;
    logger& log;
    id_factory& ids;
    thread_store& store;
    const state_packer& packer;
    worker_pool& work;    // parses, compares and packs states
    hasher_factory make_hasher = nullptr;
    thread_options options = {};
    storage_gate may_store = {};    // asked before data is added
};

/// A client's request to save a checkpoint.
struct checkpoint_wish {
    std::optional<checkpoint_id> id;
    std::optional<checkpoint_id> parent;
    std::optional<expected_latest> if_latest;
    checkpoint_metadata metadata;    // `custom` as sent
    checkpoint_references references;
    bool pinned = false;
    std::string_view state;    // JSON or other bytes; refers to `bytes` or to what the reader holds
    shared_bytes bytes;
    std::string media_type = "application/json";    // "application/json" for all JSON
};

/// Parses a wish. The wish may refer to data that the reader holds. Called on a worker thread.
using wish_reader = std::function<result<checkpoint_wish>()>;

struct prepared_save;

/// Threads of checkpoints that agents save. I/O thread only; long work runs on worker threads. All calls throw storage_error when the
/// database is broken. Errors: those of thread_store, and those named here.
class thread_service : public checkpoint_maker {
public:
    explicit thread_service(thread_services use)
        : use_(std::move(use)), comparing_(use_.executor, use_.work, 1), metadata_lists_(use_.executor, 1)
    {
    }

    /// Saves the wish that `read` returns; `bytes` is the approximate size of its state. Errors: those of `read`; errc::bad_request and
    /// errc::too_large, by field, for an invalid state or invalid metadata.
    task<result<saved_checkpoint>> save(tenant_id tenant, thread_name thread, wish_reader read, std::size_t bytes);
    /// Loads the latest checkpoint if `id` is nullopt.
    task<result<loaded_checkpoint>> load(tenant_id tenant, thread_name thread, std::optional<checkpoint_id> id, bool with_state);
    task<result<checkpoint_page>> list(tenant_id tenant, thread_name thread, checkpoint_filter filter);
    task<result<void>> erase(tenant_id tenant, thread_name thread, checkpoint_id id);
    task<result<checkpoint_row>> pin(tenant_id tenant, thread_name thread, checkpoint_id id, bool pinned);

    task<result<thread_row>> find_thread(tenant_id tenant, thread_name thread);
    task<result<std::vector<thread_row>>> list_threads(tenant_id tenant, thread_name after, std::size_t limit);
    /// Checkpoints beyond the new policy are dropped on return. Errors: errc::bad_request.
    task<result<thread_row>> set_policy(tenant_id tenant, thread_name thread, retention_policy policy);
    task<result<bool>> erase_thread(tenant_id tenant, thread_name thread);
    /// Drops the checkpoints beyond the thread's policy. Returns the updated thread, or `row` if the thread was removed meanwhile.
    task<thread_row> settle(thread_row row);

    task<result<checkpoint_row>> roll_back_by_copy(tenant_id tenant, thread_name thread, checkpoint_id to);
    task<result<rolled_back>> roll_back_by_removal(tenant_id tenant, thread_name thread, checkpoint_id to);
    task<result<thread_row>> branch(tenant_id tenant, thread_name from, std::optional<checkpoint_id> of, thread_name name);
    struct difference {
        checkpoint_row from;
        checkpoint_row to;
        std::string patch;
    };
    /// The JSON Patch from the state of `from` to that of `to` (nullopt: the latest). Errors: errc::bad_request if one is not JSON.
    task<result<difference>> diff(tenant_id tenant, thread_name thread, std::optional<checkpoint_id> from, std::optional<checkpoint_id> to);

    /// Packs without a base, which could be gone when the execution ends.
    task<result<checkpoint_end>> make(
        tenant_id tenant, checkpoint_order order, std::string state, checkpoint_references references) override;
    change_clock::change changing(const tenant_id& tenant, const thread_name& thread) override;

    /// Changes by tenant and thread name, to invalidate caches of thread data.
    const change_clock& changes() const { return changes_; }

    task<result<thread_usage>> usage(tenant_id tenant) { return use_.store.usage(std::move(tenant)); }

    /// Drops expired checkpoints, round after round, until cancelled. Logs failures and tries again.
    task<> run();
    /// One round. Returns the number dropped.
    task<result<std::size_t>> clean();

    const thread_options& options() const { return use_.options; }
    const thread_services& services() const { return use_; }

private:
    task<result<saved_checkpoint>> save_prepared(std::shared_ptr<prepared_save> save);

    thread_services use_;
    change_clock changes_;
    fair_workers comparing_;       // for diff(): leaves worker threads to other tenants
    fair_turns metadata_lists_;    // for lists by metadata, which may block a reader for long
};

/// A state in its stored form, before packing.
struct settled_state {
    state_info info;
    std::string digest;    // raw
    shared_bytes text;
};
/// Checks a state and brings JSON into canonical form. Errors: errc::bad_request and errc::too_large, by the field "state".
result<settled_state> settle_state(std::string_view state, std::string media_type, const state_bounds& bounds, hasher_factory make_hasher);

inline constexpr std::string_view json_media_type = "application/json";

}    // namespace caisson

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
    std::chrono::milliseconds round_interval{5'000};    // between two looks for what ran out
    std::size_t batch = 200;                            // checkpoints that go in one step
};

/// What a thread_service works on; everything outlives it.
struct thread_services {
    io_executor executor;
    timers& time;
    logger& log;
    id_factory& ids;
    thread_store& store;
    const state_packer& packer;
    worker_pool& work;    // reads, compares and packs states
    hasher_factory make_hasher = nullptr;
    thread_options options = {};
    storage_gate may_store = {};    // asked before something is added
};

/// What a client says about a checkpoint.
struct checkpoint_wish {
    std::optional<checkpoint_id> id;
    std::optional<checkpoint_id> parent;
    std::optional<expected_latest> if_latest;
    checkpoint_metadata metadata;    // `custom` as it was written
    checkpoint_references references;
    bool pinned = false;
    std::string_view state;    // JSON, or bytes: of what the reader holds, or of `bytes`
    shared_bytes bytes;
    std::string media_type = "application/json";    // of JSON this one
};

/// Gives a wish that refers to what the reader itself holds. Called on a work thread.
using wish_reader = std::function<result<checkpoint_wish>()>;

struct prepared_save;

/// Saved states of agents. I/O thread only; what takes long runs on the work threads. All calls throw storage_error when the database is
/// broken. Errors: those of thread_store, and those named here.
class thread_service : public checkpoint_maker {
public:
    explicit thread_service(thread_services use)
        : use_(std::move(use)), comparing_(use_.executor, use_.work, 1), metadata_lists_(use_.executor, 1)
    {
    }

    /// Saves what `read` gives; `bytes` is about how large its state is. Errors: what `read` says; errc::bad_request and errc::too_large
    /// by field for a state or metadata that cannot be taken.
    task<result<saved_checkpoint>> save(tenant_id tenant, thread_name thread, wish_reader read, std::size_t bytes);
    /// `id` nothing: the latest.
    task<result<loaded_checkpoint>> load(tenant_id tenant, thread_name thread, std::optional<checkpoint_id> id, bool with_state);
    task<result<checkpoint_page>> list(tenant_id tenant, thread_name thread, checkpoint_filter filter);
    task<result<void>> erase(tenant_id tenant, thread_name thread, checkpoint_id id);
    task<result<checkpoint_row>> pin(tenant_id tenant, thread_name thread, checkpoint_id id, bool pinned);

    task<result<thread_row>> find_thread(tenant_id tenant, thread_name thread);
    task<result<std::vector<thread_row>>> list_threads(tenant_id tenant, thread_name after, std::size_t limit);
    /// What it makes too much is gone on return. Errors: errc::bad_request.
    task<result<thread_row>> set_policy(tenant_id tenant, thread_name thread, retention_policy policy);
    task<result<bool>> erase_thread(tenant_id tenant, thread_name thread);
    /// Drops all that the thread's policy has no room or time for, and gives what the thread is then; `row` if it was removed meanwhile.
    task<thread_row> settle(thread_row row);

    task<result<checkpoint_row>> roll_back_by_copy(tenant_id tenant, thread_name thread, checkpoint_id to);
    task<result<rolled_back>> roll_back_by_removal(tenant_id tenant, thread_name thread, checkpoint_id to);
    task<result<thread_row>> branch(tenant_id tenant, thread_name from, std::optional<checkpoint_id> of, thread_name name);
    /// The JSON Patch that makes the state of `to` of that of `from` (nothing: the latest). Errors: errc::bad_request if one is not JSON.
    struct difference {
        checkpoint_row from;
        checkpoint_row to;
        std::string patch;
    };
    task<result<difference>> diff(tenant_id tenant, thread_name thread, std::optional<checkpoint_id> from, std::optional<checkpoint_id> to);

    /// Packed by itself: nothing can be gone when the execution ends.
    task<result<checkpoint_end>> make(
        tenant_id tenant, checkpoint_order order, std::string state, checkpoint_references references) override;
    change_clock::change changing(const tenant_id& tenant, const thread_name& thread) override;

    /// By tenant and thread: for those who keep what they read of a thread.
    const change_clock& changes() const { return changes_; }

    task<result<thread_usage>> usage(tenant_id tenant) { return use_.store.usage(std::move(tenant)); }

    /// Drops what ran out, one round after the other, until it is cancelled. What fails is logged and tried again.
    task<> run();
    /// One round; says how many went.
    task<result<std::size_t>> clean();

    const thread_options& options() const { return use_.options; }
    const thread_services& services() const { return use_; }

private:
    task<result<saved_checkpoint>> save_prepared(std::shared_ptr<prepared_save> one);

    thread_services use_;
    change_clock changes_;
    fair_workers comparing_;       // of states: long ones leave work threads to others
    fair_turns metadata_lists_;    // of lists by metadata, each of which may hold a reader of the store for long
};

/// A state in the form that it is kept in.
struct settled_state {
    state_info info;
    std::string digest;    // raw
    shared_bytes text;
};
/// JSON is brought into its canonical form. Errors: errc::bad_request and errc::too_large, by the field "state".
result<settled_state> settle_state(std::string_view state, std::string media_type, const state_bounds& bounds, hasher_factory make_hasher);

inline constexpr std::string_view json_media_type = "application/json";

}    // namespace caisson

#pragma once

#include "core/admission/admission_bounds.hpp"
#include "core/admission/candidate.hpp"
#include "core/admission/throughput.hpp"
#include "core/base/clock.hpp"
#include "core/base/error.hpp"
#include "core/fairness/fair_queue.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <unordered_map>

namespace caisson {

/// Who may run, who waits, and who is refused: so many executions run at once, so many wait, for the whole server and for
/// each tenant, and the tenants' turns are fair (fair_queue). What runs is promised no more memory together than the bounds say; who asks
/// for more than is free waits, and others with less pass by. I/O thread only.
class admission {
public:
    /// `time` outlives it.
    admission(admission_bounds bounds, const clock& time);
    admission(const admission&) = delete;
    admission& operator=(const admission&) = delete;

    /// Before anything is here: what the bounds do not know of ids.
    void set_tenants(std::map<tenant_id, tenant_bounds> tenants) { bounds_.tenants = std::move(tenants); }

    /// Executions of a tenant that have not begun wait while `may_start` says false of it. Call look_again() as soon as it says otherwise.
    void set_gate(std::function<bool(const tenant_id&)> may_start) { may_start_ = std::move(may_start); }
    void look_again() { grant(); }

    /// What a tenant may have whose bounds do not say. The bound of memory holds for every tenant. At any time; who runs already is not
    /// stopped.
    void set_tenant_most(std::size_t max_running, std::uint64_t max_memory_bytes);

    /// Keeps room for an execution that is about to be recorded, is promised `memory_bytes` while it runs and holds `content_bytes` while
    /// it waits. The room goes back when the place is dropped; give it to the candidate that enters. Errors: errc::queue_full with facts.
    result<waiting_place> reserve(const tenant_id& tenant, std::uint64_t memory_bytes, std::uint64_t content_bytes);
    /// `bytes` more that an execution holds while it waits. Errors: as reserve().
    result<void> hold_more(candidate& candidate, std::uint64_t bytes);

    /// Queues `candidate`; admits and wakes it when it may run, at once if there is room. A candidate without a place (an earlier server
    /// took it) is queued whatever the bounds; a candidate that was here before, at its former place in line.
    void enter(std::shared_ptr<candidate> candidate);
    /// `candidate` waits for another attempt: its place goes to the next one, and until it enters again it counts as waiting, with what it
    /// holds. Then it comes before those of its tenant that came later than it did.
    void step_aside(candidate& candidate);
    /// Admits `candidate` whatever the bound: it runs already (found again after a restart).
    void enter_running(candidate& candidate);
    /// The program of `candidate` has ended, and what it wrote cannot be stored: its place goes to the next one. Until it leaves it keeps
    /// the memory that it was promised, and its room among those that wait, with `bytes`. False if it has no place.
    bool step_out(candidate& candidate, std::uint64_t bytes);
    /// Gives the place back, or leaves the queue.
    void leave(candidate& candidate);

    /// Admits nobody until release(): what a start takes up is to be known as a whole before the first turn.
    void hold() { held_ = true; }
    void release();
    /// Admits nobody any more.
    void close() { closed_ = true; }

    std::size_t running() const { return queue_.running(); }
    std::size_t waiting() const { return queue_.waiting(); }
    std::size_t running(const tenant_id& tenant) const { return queue_.running(tenant); }
    std::size_t waiting(const tenant_id& tenant) const { return queue_.waiting(tenant); }
    /// Which turn `candidate` gets, 1 is the next; nothing once it has had it. True as long as nobody comes or leaves.
    std::optional<std::size_t> position(const candidate& candidate) const;
    /// A sentence if `candidate` waits and there is too little memory for it now; else empty.
    std::string lack_of_memory(const candidate& candidate) const;
    /// Whether one that is promised so much memory and enters now is admitted at once.
    bool has_place_for(const tenant_id& tenant, std::uint64_t memory_bytes) const;
    /// position() of one that entered now; nothing if it would not have to wait.
    std::optional<std::size_t> position_of_next(const tenant_id& tenant, std::uint64_t memory_bytes) const;

private:
    void grant();
    void admit(candidate& candidate);
    bool may_start(const tenant_id& tenant) const { return !may_start_ || may_start_(tenant); }
    bool has_memory_for(const tenant_id& tenant, std::uint64_t bytes) const;
    bool exceeds_share(const tenant_id& tenant, std::uint64_t bytes) const;
    const tenant_bounds& bounds_of(const tenant_id& tenant) const;
    std::size_t max_running_of(const tenant_bounds& mine) const { return mine.max_running.value_or(bounds_.tenant_max_running); }
    std::size_t free_places() const { return bounds_.max_running - std::min(bounds_.max_running, queue_.running()); }
    result<void> check_room(const tenant_id& tenant, std::uint64_t memory_bytes) const;
    result<void> check_content(const tenant_id& tenant, std::uint64_t more) const;
    error full(const tenant_id& tenant, std::string limit, std::string scope, std::uint64_t value, std::size_t waiting) const;

    admission_bounds bounds_;
    const clock& time_;
    std::function<bool(const tenant_id&)> may_start_;

    fair_queue queue_;
    std::unordered_map<fair_queue::ticket, std::shared_ptr<candidate>> waiters_;
    std::shared_ptr<waiting_tally> tally_ = std::make_shared<waiting_tally>();
    std::uint64_t memory_bytes_ = 0;                                   // promised to all that run
    std::unordered_map<tenant_id, std::uint64_t> memory_of_tenant_;    // no zeros
    throughput ends_;
    bool held_ = false;
    bool closed_ = false;
};

}    // namespace caisson

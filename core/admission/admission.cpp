#include "core/admission/admission.hpp"

#include <algorithm>
#include <utility>

namespace caisson {

admission::admission(admission_bounds bounds, const clock& time)
    : bounds_(std::move(bounds)), time_(time), queue_([this](const tenant_id& who) {
        const auto& mine = bounds_of(who);
        return tenant_share{mine.weight, max_running_of(mine)};
    })
{
}

void admission::set_tenant_most(std::size_t max_running, std::uint64_t max_memory_bytes)
{
    if (max_running == bounds_.tenant_max_running && max_memory_bytes == bounds_.tenant_max_memory_bytes)
        return;
    bounds_.tenant_max_running = max_running;
    bounds_.tenant_max_memory_bytes = max_memory_bytes;
    queue_.renew_shares();
    grant();
}

const tenant_bounds& admission::bounds_of(const tenant_id& tenant) const
{
    const auto found = bounds_.tenants.find(tenant);
    return found == bounds_.tenants.end() ? bounds_.any_tenant : found->second;
}

error admission::full(const tenant_id& tenant, std::string limit, std::string scope, std::uint64_t value, std::size_t waiting) const
{
    const bool of_tenant = scope == "tenant";
    // A place of the tenant gets free with its next turn, one of the server with anybody's.
    const auto ahead = of_tenant ? queue_.position_of_first(tenant) : 1;
    const auto pause = retry_after(ahead, ends_.per_second(time_.steady_now()));
    error refused{errc::queue_full, std::string(of_tenant ? "this tenant's queue" : "the server's queue") + " is full (" +
                                        std::to_string(waiting) + " executions wait; " + limit + " is " + std::to_string(value) +
                                        "); try again in " + std::to_string(pause.count()) + " s"};
    const auto running = of_tenant ? queue_.running(tenant) : queue_.running();
    refused.facts = limit_facts{std::move(limit), std::move(scope), static_cast<std::int64_t>(value), static_cast<std::int64_t>(running),
        static_cast<std::int64_t>(waiting), pause.count()};
    return refused;
}

/// The queue's bounds are for those that cannot start at once.
result<void> admission::check_room(const tenant_id& tenant, std::uint64_t memory_bytes) const
{
    const auto& mine = bounds_of(tenant);
    const auto most = max_running_of(mine);
    const auto free = has_place_for(tenant, memory_bytes) ? free_places() : 0;
    const auto own_free = std::min(free, most - std::min(most, queue_.running(tenant)));
    const auto own_waiting = queue_.waiting(tenant) + tally_->of(tenant).reserved;
    if (own_waiting >= own_free && own_waiting - own_free >= mine.max_queued)
        return full(tenant, "executions.tenant_max_queued", "tenant", mine.max_queued, queue_.waiting(tenant));
    const auto all_waiting = queue_.waiting() + tally_->all.reserved;
    if (all_waiting >= free && all_waiting - free >= bounds_.max_queued)
        return full(tenant, "executions.max_queued", "server", bounds_.max_queued, queue_.waiting());
    return {};
}

/// Whoever holds nothing yet may hold one execution's content, whatever its size.
result<void> admission::check_content(const tenant_id& tenant, std::uint64_t more) const
{
    const auto mine = tally_->of(tenant).bytes;
    if (mine > 0 && mine + more > bounds_.tenant_max_waiting_bytes)
        return full(tenant, "executions.tenant_max_waiting_bytes", "tenant", bounds_.tenant_max_waiting_bytes, queue_.waiting(tenant));
    const auto all = tally_->all.bytes;
    if (all > 0 && all + more > bounds_.max_waiting_bytes)
        return full(tenant, "executions.max_waiting_bytes", "server", bounds_.max_waiting_bytes, queue_.waiting());
    return {};
}

result<waiting_place> admission::reserve(const tenant_id& tenant, std::uint64_t memory_bytes, std::uint64_t content_bytes)
{
    auto room = check_room(tenant, memory_bytes);
    if (room.has_error())
        return room.error();
    room = check_content(tenant, content_bytes);
    if (room.has_error())
        return room.error();
    return waiting_place(tally_, tenant, content_bytes);
}

result<void> admission::hold_more(candidate& candidate, std::uint64_t bytes)
{
    if (!candidate.place_)
        return {};
    auto room = check_content(candidate.tenant(), bytes);
    if (room.has_value())
        candidate.place_.add_bytes(bytes);
    return room;
}

void admission::enter(std::shared_ptr<candidate> candidate)
{
    if (!candidate->place_)
        candidate->place_ = waiting_place(tally_, candidate->tenant(), candidate->waiting_bytes());
    candidate->place_.settle();
    if (candidate->ticket_ == 0)
        candidate->ticket_ = queue_.join(candidate->tenant());
    else
        queue_.rejoin(candidate->tenant(), candidate->ticket_);
    waiters_.emplace(candidate->ticket_, std::move(candidate));
    grant();
}

void admission::step_aside(candidate& candidate)
{
    if (candidate.ticket_ == 0)    // an earlier server had it in line
        candidate.ticket_ = queue_.draw();
    if (candidate.admitted_)
        leave(candidate);
    candidate.place_ = waiting_place(tally_, candidate.tenant(), candidate.waiting_bytes());
}

void admission::enter_running(candidate& candidate)
{
    queue_.begin(candidate.tenant());
    admit(candidate);
}

void admission::admit(candidate& candidate)
{
    candidate.admitted_ = true;
    memory_bytes_ += candidate.memory_bytes_;
    memory_of_tenant_[candidate.tenant()] += candidate.memory_bytes_;
}

/// Of a tenant of which nothing runs, one of any size may.
bool admission::exceeds_share(const tenant_id& tenant, std::uint64_t bytes) const
{
    const auto mine = memory_of_tenant_.find(tenant);
    return mine != memory_of_tenant_.end() && mine->second + bytes > bounds_.tenant_max_memory_bytes;
}

/// Where nothing runs, one of any size may.
bool admission::has_memory_for(const tenant_id& tenant, std::uint64_t bytes) const
{
    return (memory_bytes_ == 0 || memory_bytes_ + bytes <= bounds_.max_memory_bytes) && !exceeds_share(tenant, bytes);
}

std::string admission::lack_of_memory(const candidate& candidate) const
{
    const auto bytes = candidate.memory_bytes();
    if (candidate.admitted_ || !waiters_.contains(candidate.ticket_) || has_memory_for(candidate.tenant(), bytes))
        return {};
    const auto* whose =
        exceeds_share(candidate.tenant(), bytes) ? "its tenant's part of executions.max_memory_bytes" : "executions.max_memory_bytes";
    return "memory: it may use " + std::to_string(bytes) + " bytes, more than is free of " + whose;
}

bool admission::step_out(candidate& candidate, std::uint64_t bytes)
{
    if (!candidate.admitted_ || candidate.stepped_out_)
        return false;
    candidate.stepped_out_ = true;
    candidate.place_ = waiting_place(tally_, candidate.tenant(), bytes);
    ends_.count(time_.steady_now());
    queue_.end(candidate.tenant());
    grant();
    return true;
}

void admission::leave(candidate& candidate)
{
    candidate.place_.give_back();
    if (candidate.admitted_) {
        candidate.admitted_ = false;
        memory_bytes_ -= candidate.memory_bytes_;
        const auto mine = memory_of_tenant_.find(candidate.tenant());
        if (mine != memory_of_tenant_.end() && (mine->second -= candidate.memory_bytes_) == 0)
            memory_of_tenant_.erase(mine);
        if (!std::exchange(candidate.stepped_out_, false)) {
            ends_.count(time_.steady_now());
            queue_.end(candidate.tenant());
        }
    } else if (queue_.leave(candidate.tenant(), candidate.ticket_)) {
        waiters_.erase(candidate.ticket_);
    }
    grant();
}

void admission::release()
{
    held_ = false;
    grant();
}

void admission::grant()
{
    while (!held_ && !closed_ && queue_.running() < bounds_.max_running) {
        const auto turn = queue_.next([this](const tenant_id& who, fair_queue::ticket which) {
            const auto& waiter = *waiters_.at(which);
            return (waiter.has_begun() || may_start(who)) && has_memory_for(who, waiter.memory_bytes());
        });
        if (!turn)
            return;
        const auto node = waiters_.extract(*turn);
        const auto& asking = node.mapped();
        asking->place_.give_back();
        admit(*asking);
        asking->wake();
    }
}

std::optional<std::size_t> admission::position(const candidate& candidate) const
{
    const auto found = queue_.position(candidate.tenant(), candidate.ticket_);
    return found == 0 ? std::nullopt : std::optional(found);
}

bool admission::has_place_for(const tenant_id& tenant, std::uint64_t memory_bytes) const
{
    return !held_ && free_places() > 0 && queue_.running(tenant) < max_running_of(bounds_of(tenant)) && queue_.waiting(tenant) == 0 &&
           may_start(tenant) && has_memory_for(tenant, memory_bytes);
}

std::optional<std::size_t> admission::position_of_next(const tenant_id& tenant, std::uint64_t memory_bytes) const
{
    return has_place_for(tenant, memory_bytes) ? std::nullopt : std::optional(queue_.position_of_next(tenant));
}

}    // namespace caisson

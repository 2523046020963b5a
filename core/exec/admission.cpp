#include "core/exec/admission.hpp"

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
result<void> admission::check_room(const tenant_id& tenant, const execution_limits& limits) const
{
    const auto& mine = bounds_of(tenant);
    const auto most = max_running_of(mine);
    const auto free = has_place_for(tenant, limits) ? free_places() : 0;
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

result<waiting_place> admission::reserve(const tenant_id& tenant, const execution_limits& limits, std::uint64_t content_bytes)
{
    auto room = check_room(tenant, limits);
    if (room.has_error())
        return room.error();
    room = check_content(tenant, content_bytes);
    if (room.has_error())
        return room.error();
    return waiting_place(tally_, tenant, content_bytes);
}

result<void> admission::hold_more(live_execution& one, std::uint64_t bytes)
{
    if (!one.place)
        return {};
    auto room = check_content(one.row.tenant, bytes);
    if (room.has_value())
        one.place.add_bytes(bytes);
    return room;
}

void admission::enter(std::shared_ptr<live_execution> one)
{
    if (!one->place)
        one->place = waiting_place(tally_, one->row.tenant, one->waiting_bytes());
    one->place.settle();
    if (one->turn == 0)
        one->turn = queue_.join(one->row.tenant);
    else
        queue_.rejoin(one->row.tenant, one->turn);
    waiters_.emplace(one->turn, std::move(one));
    grant();
}

void admission::step_aside(live_execution& one)
{
    if (one.turn == 0)    // an earlier server had it in line
        one.turn = queue_.draw();
    if (one.admitted)
        leave(one);
    one.place = waiting_place(tally_, one.row.tenant, one.waiting_bytes());
}

void admission::enter_running(live_execution& one)
{
    queue_.begin(one.row.tenant);
    admit(one);
}

namespace {

/// What a sandbox writes to its disk lies in memory.
std::uint64_t memory_of(const execution_limits& limits) { return static_cast<std::uint64_t>(limits.memory_bytes + limits.disk_bytes); }

}    // namespace

void admission::admit(live_execution& one)
{
    one.admitted = true;
    one.promised_bytes = memory_of(one.row.limits);
    memory_bytes_ += one.promised_bytes;
    memory_of_tenant_[one.row.tenant] += one.promised_bytes;
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

std::string admission::lack_of_memory(const live_execution& one) const
{
    const auto bytes = memory_of(one.row.limits);
    if (one.admitted || !waiters_.contains(one.turn) || has_memory_for(one.row.tenant, bytes))
        return {};
    const auto* whose =
        exceeds_share(one.row.tenant, bytes) ? "its tenant's part of executions.max_memory_bytes" : "executions.max_memory_bytes";
    return "memory: it may use " + std::to_string(bytes) + " bytes, more than is free of " + whose;
}

bool admission::step_out(live_execution& one, std::uint64_t bytes)
{
    if (!one.admitted || one.stepped_out)
        return false;
    one.stepped_out = true;
    one.place = waiting_place(tally_, one.row.tenant, bytes);
    ends_.count(time_.steady_now());
    queue_.end(one.row.tenant);
    grant();
    return true;
}

void admission::leave(live_execution& one)
{
    one.place.give_back();
    if (one.admitted) {
        one.admitted = false;
        memory_bytes_ -= one.promised_bytes;
        const auto mine = memory_of_tenant_.find(one.row.tenant);
        if (mine != memory_of_tenant_.end() && (mine->second -= one.promised_bytes) == 0)
            memory_of_tenant_.erase(mine);
        if (!std::exchange(one.stepped_out, false)) {
            ends_.count(time_.steady_now());
            queue_.end(one.row.tenant);
        }
    } else if (queue_.leave(one.row.tenant, one.turn)) {
        waiters_.erase(one.turn);
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
            const auto& row = waiters_.at(which)->row;
            return (!row.attempts.empty() || may_start(who)) && has_memory_for(who, memory_of(row.limits));
        });
        if (!turn)
            return;
        const auto node = waiters_.extract(*turn);
        const auto& one = node.mapped();
        one->place.give_back();
        admit(*one);
        one->wake();
    }
}

std::optional<std::size_t> admission::position(const live_execution& one) const
{
    const auto found = queue_.position(one.row.tenant, one.turn);
    return found == 0 ? std::nullopt : std::optional(found);
}

bool admission::has_place_for(const tenant_id& tenant, const execution_limits& limits) const
{
    return !held_ && free_places() > 0 && queue_.running(tenant) < max_running_of(bounds_of(tenant)) && queue_.waiting(tenant) == 0 &&
           may_start(tenant) && has_memory_for(tenant, memory_of(limits));
}

std::optional<std::size_t> admission::position_of_next(const tenant_id& tenant, const execution_limits& limits) const
{
    return has_place_for(tenant, limits) ? std::nullopt : std::optional(queue_.position_of_next(tenant));
}

}    // namespace caisson

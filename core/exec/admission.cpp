#include "core/exec/admission.hpp"

#include <algorithm>

namespace caisson {

admission::admission(admission_bounds bounds, const clock& time)
    : bounds_(std::move(bounds)), time_(time), queue_([this](const tenant_id& who) {
        const auto& mine = bounds_of(who);
        return tenant_share{mine.weight, mine.max_running};
    })
{
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
result<void> admission::check_room(const tenant_id& tenant) const
{
    const auto& mine = bounds_of(tenant);
    const auto own_free = std::min(free_places(), mine.max_running - std::min(mine.max_running, queue_.running(tenant)));
    const auto own_waiting = queue_.waiting(tenant) + tally_->of(tenant).reserved;
    if (own_waiting >= own_free && own_waiting - own_free >= mine.max_queued)
        return full(tenant, "executions.tenant_max_queued", "tenant", mine.max_queued, queue_.waiting(tenant));
    const auto all_waiting = queue_.waiting() + tally_->all.reserved;
    if (all_waiting >= free_places() && all_waiting - free_places() >= bounds_.max_queued)
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

result<waiting_place> admission::reserve(const tenant_id& tenant, std::uint64_t content_bytes)
{
    auto room = check_room(tenant);
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
    one.admitted = true;
}

void admission::leave(live_execution& one)
{
    one.place.give_back();
    if (one.admitted) {
        one.admitted = false;
        ends_.count(time_.steady_now());
        queue_.end(one.row.tenant);
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
        const auto turn = queue_.next();
        if (!turn)
            return;
        const auto node = waiters_.extract(*turn);
        const auto& one = node.mapped();
        one->place.give_back();
        one->admitted = true;
        one->wake();
    }
}

std::optional<std::size_t> admission::position(const live_execution& one) const
{
    const auto found = queue_.position(one.row.tenant, one.turn);
    return found == 0 ? std::nullopt : std::optional(found);
}

bool admission::has_place_for(const tenant_id& tenant) const
{
    return !held_ && free_places() > 0 && queue_.running(tenant) < bounds_of(tenant).max_running;
}

std::optional<std::size_t> admission::position_of_next(const tenant_id& tenant) const
{
    return has_place_for(tenant) ? std::nullopt : std::optional(queue_.position_of_next(tenant));
}

}    // namespace caisson

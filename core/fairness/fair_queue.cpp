#include "core/fairness/fair_queue.hpp"

#include <algorithm>
#include <map>

namespace caisson {

namespace {

/// The stride of weight 1. Large, so that the strides of all weights are exact to a millionth.
constexpr std::uint64_t whole_stride = 1'000'000'000;

std::uint64_t stride_of(const tenant_share& share)
{
    return whole_stride / static_cast<std::uint64_t>(std::clamp<std::int64_t>(share.weight, 1, tenant_share::max_weight));
}

}    // namespace

fair_queue::line& fair_queue::line_of(const tenant_id& who)
{
    const auto [place, fresh] = tenants_.try_emplace(who);
    auto& one = place->second;
    if (fresh) {
        one.share = share_of_(who);
        one.stride = stride_of(one.share);
    }
    return one;
}

const fair_queue::line* fair_queue::find(const tenant_id& who) const
{
    const auto found = tenants_.find(who);
    return found == tenants_.end() ? nullptr : &found->second;
}

void fair_queue::sort_in(const tenant_id& who, line& one)
{
    const bool wanted = !one.waiting.empty() && one.running < one.share.max_running;
    if (wanted == one.ready)
        return;
    if (wanted) {
        one.due = std::max(one.due, now_);
        one.order = next_order_++;
        ready_.insert({one.due, one.order, who});
    } else {
        ready_.erase({one.due, one.order, who});
    }
    one.ready = wanted;
}

/// Forgets a tenant without entries. When it comes back it begins at now_.
void fair_queue::forget_if_idle(const tenant_id& who)
{
    const auto found = tenants_.find(who);
    if (found != tenants_.end() && found->second.waiting.empty() && found->second.running == 0)
        tenants_.erase(found);
}

fair_queue::ticket fair_queue::join(const tenant_id& who)
{
    auto& one = line_of(who);
    one.waiting.push_back(next_ticket_);
    ++waiting_;
    sort_in(who, one);
    return next_ticket_++;
}

void fair_queue::rejoin(const tenant_id& who, ticket which)
{
    auto& one = line_of(who);
    one.waiting.insert(std::lower_bound(one.waiting.begin(), one.waiting.end(), which), which);
    ++waiting_;
    sort_in(who, one);
}

bool fair_queue::leave(const tenant_id& who, ticket which)
{
    const auto found = tenants_.find(who);
    if (found == tenants_.end())
        return false;
    auto& line = found->second.waiting;
    const auto place = std::lower_bound(line.begin(), line.end(), which);
    if (place == line.end() || *place != which)
        return false;
    line.erase(place);
    --waiting_;
    sort_in(who, found->second);
    forget_if_idle(who);
    return true;
}

std::optional<fair_queue::ticket> fair_queue::next(const std::function<bool(const tenant_id& who, ticket which)>& may_begin)
{
    const auto found = std::ranges::find_if(
        ready_, [&](const turn& each) { return !may_begin || may_begin(each.who, tenants_.at(each.who).waiting.front()); });
    if (found == ready_.end())
        return std::nullopt;
    const auto first = *found;
    auto& one = tenants_.at(first.who);
    ready_.erase(found);
    const auto which = one.waiting.front();
    one.waiting.pop_front();
    --waiting_;
    ++running_;
    ++one.running;
    now_ = std::max(now_, first.due);    // a tenant that was passed over was due before now_
    one.due = now_ + one.stride;
    one.ready = !one.waiting.empty() && one.running < one.share.max_running;
    if (one.ready)    // the tenant keeps its order while it waits
        ready_.insert({one.due, one.order, first.who});
    return which;
}

void fair_queue::renew_shares()
{
    std::map<ticket, const tenant_id*> by_first;    // so that sort_in() orders equal `due` by who came first
    for (auto& [who, one] : tenants_) {
        one.share.max_running = share_of_(who).max_running;
        if (!one.waiting.empty())
            by_first.emplace(one.waiting.front(), &who);
    }
    for (const auto& [first, who] : by_first)
        sort_in(*who, tenants_.at(*who));
}

void fair_queue::begin(const tenant_id& who)
{
    auto& one = line_of(who);
    ++one.running;
    ++running_;
    sort_in(who, one);
}

void fair_queue::end(const tenant_id& who)
{
    const auto found = tenants_.find(who);
    if (found == tenants_.end() || found->second.running == 0)
        return;
    --found->second.running;
    --running_;
    sort_in(who, found->second);
    forget_if_idle(who);
}

std::size_t fair_queue::waiting(const tenant_id& who) const
{
    const auto* one = find(who);
    return one == nullptr ? 0 : one->waiting.size();
}

std::size_t fair_queue::running(const tenant_id& who) const
{
    const auto* one = find(who);
    return one == nullptr ? 0 : one->running;
}

/// The position of the turn at `due` + `ahead` × `stride`: `ahead` turns of `who` and the others' earlier turns come before it.
std::size_t fair_queue::position_at(
    const tenant_id& who, std::uint64_t due, std::uint64_t order, std::size_t ahead, std::uint64_t stride) const
{
    const auto mine = due + ahead * stride;
    std::size_t before = ahead;
    for (const auto& [id, other] : tenants_) {
        if (id == who || other.waiting.empty())
            continue;
        const auto first = other.ready ? other.due : std::max(other.due, now_);
        if (first > mine)
            continue;
        const auto later = (mine - first) / other.stride;    // turns after its first one that are not after mine
        const bool same_time = first + later * other.stride == mine;
        const bool wins = other.ready && other.order < order;
        const std::uint64_t turns = later + (same_time && !wins ? 0 : 1);
        before += static_cast<std::size_t>(std::min<std::uint64_t>(turns, other.waiting.size()));
    }
    return before + 1;
}

std::size_t fair_queue::position(const tenant_id& who, ticket which) const
{
    const auto* one = find(who);
    if (one == nullptr)
        return 0;
    const auto place = std::lower_bound(one->waiting.begin(), one->waiting.end(), which);
    if (place == one->waiting.end() || *place != which)
        return 0;
    const auto due = one->ready ? one->due : std::max(one->due, now_);
    const auto order = one->ready ? one->order : next_order_;
    return position_at(who, due, order, static_cast<std::size_t>(place - one->waiting.begin()), one->stride);
}

std::size_t fair_queue::position_of_first(const tenant_id& who) const
{
    const auto* one = find(who);
    return one == nullptr || one->waiting.empty() ? 0 : position(who, one->waiting.front());
}

std::size_t fair_queue::position_of_next(const tenant_id& who) const
{
    const auto* one = find(who);
    if (one == nullptr)
        return position_at(who, now_, next_order_, 0, stride_of(share_of_(who)));
    const auto due = one->ready ? one->due : std::max(one->due, now_);
    return position_at(who, due, one->ready ? one->order : next_order_, one->waiting.size(), one->stride);
}

}    // namespace caisson

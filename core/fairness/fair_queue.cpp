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
    auto& line = place->second;
    if (fresh) {
        line.share = share_of_(who);
        line.stride = stride_of(line.share);
    }
    return line;
}

const fair_queue::line* fair_queue::find(const tenant_id& who) const
{
    const auto found = tenants_.find(who);
    return found == tenants_.end() ? nullptr : &found->second;
}

void fair_queue::sort_in(const tenant_id& who, line& line)
{
    const bool wanted = !line.waiting.empty() && line.running < line.share.max_running;
    if (wanted == line.ready)
        return;
    if (wanted) {
        line.due = std::max(line.due, now_);
        line.order = next_order_++;
        ready_.insert({line.due, line.order, who});
    } else {
        ready_.erase({line.due, line.order, who});
    }
    line.ready = wanted;
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
    auto& line = line_of(who);
    line.waiting.push_back(next_ticket_);
    ++waiting_;
    sort_in(who, line);
    return next_ticket_++;
}

void fair_queue::rejoin(const tenant_id& who, ticket which)
{
    auto& line = line_of(who);
    line.waiting.insert(std::lower_bound(line.waiting.begin(), line.waiting.end(), which), which);
    ++waiting_;
    sort_in(who, line);
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
    auto& line = tenants_.at(first.who);
    ready_.erase(found);
    const auto which = line.waiting.front();
    line.waiting.pop_front();
    --waiting_;
    ++running_;
    ++line.running;
    now_ = std::max(now_, first.due);    // a tenant that was passed over was due before now_
    line.due = now_ + line.stride;
    line.ready = !line.waiting.empty() && line.running < line.share.max_running;
    if (line.ready)    // the tenant keeps its order while it waits
        ready_.insert({line.due, line.order, first.who});
    return which;
}

void fair_queue::renew_shares()
{
    std::map<ticket, const tenant_id*> by_first;    // so that sort_in() orders equal `due` by who came first
    for (auto& [who, line] : tenants_) {
        line.share.max_running = share_of_(who).max_running;
        if (!line.waiting.empty())
            by_first.emplace(line.waiting.front(), &who);
    }
    for (const auto& [first, who] : by_first)
        sort_in(*who, tenants_.at(*who));
}

void fair_queue::begin(const tenant_id& who)
{
    auto& line = line_of(who);
    ++line.running;
    ++running_;
    sort_in(who, line);
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
    const auto* line = find(who);
    return line == nullptr ? 0 : line->waiting.size();
}

std::size_t fair_queue::running(const tenant_id& who) const
{
    const auto* line = find(who);
    return line == nullptr ? 0 : line->running;
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
    const auto* line = find(who);
    if (line == nullptr)
        return 0;
    const auto place = std::lower_bound(line->waiting.begin(), line->waiting.end(), which);
    if (place == line->waiting.end() || *place != which)
        return 0;
    const auto due = line->ready ? line->due : std::max(line->due, now_);
    const auto order = line->ready ? line->order : next_order_;
    return position_at(who, due, order, static_cast<std::size_t>(place - line->waiting.begin()), line->stride);
}

std::size_t fair_queue::position_of_first(const tenant_id& who) const
{
    const auto* line = find(who);
    return line == nullptr || line->waiting.empty() ? 0 : position(who, line->waiting.front());
}

std::size_t fair_queue::position_of_next(const tenant_id& who) const
{
    const auto* line = find(who);
    if (line == nullptr)
        return position_at(who, now_, next_order_, 0, stride_of(share_of_(who)));
    const auto due = line->ready ? line->due : std::max(line->due, now_);
    return position_at(who, due, line->ready ? line->order : next_order_, line->waiting.size(), line->stride);
}

}    // namespace caisson

#pragma once

#include "core/base/ids.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

namespace caisson {

/// How much of the server one tenant may use.
struct tenant_share {
    std::int64_t weight = 1;    // 1 to max_weight; turns relative to the other tenants that wait
    std::size_t max_running = SIZE_MAX;

    static constexpr std::int64_t max_weight = 100;
};

/// Who runs next: weighted round robin between the tenants that wait, first come first served within one. A tenant of
/// weight 3 gets three turns where one of weight 1 gets one, spread evenly. Who comes late, or has been at its max_running,
/// gets its turns from now on: nothing is saved up, and nobody waits behind more than the turns of the others, but who is passed
/// over (next()). Deterministic; each step costs the logarithm of the number of tenants, next() also the number of those passed
/// over; leave() in the middle of a line costs that line's length.
class fair_queue {
public:
    /// Names one entry; later ones of a tenant are greater.
    using ticket = std::uint64_t;

    /// `share_of` is asked for each tenant that becomes known, again after it was forgotten (nothing waits or runs), and by renew_shares().
    explicit fair_queue(std::function<tenant_share(const tenant_id&)> share_of) : share_of_(std::move(share_of)) { }

    /// At the end of the tenant's line.
    ticket join(const tenant_id& who);
    /// A ticket of now, for a rejoin() later.
    ticket draw() { return next_ticket_++; }
    /// Into the tenant's line at the place of a ticket that it had before: ahead of all that came later.
    void rejoin(const tenant_id& who, ticket which);
    /// Out of the line without a turn. False if it is not there.
    bool leave(const tenant_id& who, ticket which);
    /// Takes the next one out; its tenant runs one more. Nothing if all that wait are at their tenants' max_running. A tenant whose first
    /// one may not begin now is passed over: others have their turns meanwhile, it has its own as soon as that one may.
    std::optional<ticket> next(const std::function<bool(const tenant_id& who, ticket which)>& may_begin = {});
    /// Asks again for the max_running of all tenants that are known; weights stay.
    void renew_shares();
    /// One more runs without having waited here, whatever the bounds.
    void begin(const tenant_id& who);
    /// One that ran has ended.
    void end(const tenant_id& who);

    std::size_t waiting() const { return waiting_; }
    std::size_t running() const { return running_; }
    std::size_t waiting(const tenant_id& who) const;
    std::size_t running(const tenant_id& who) const;
    /// Tenants of which something waits or runs.
    std::size_t tenants() const { return tenants_.size(); }

    /// Which turn from now on (1 is the next) this entry gets if nobody comes, leaves or reaches its max_running; 0 if it does
    /// not wait. Costs the number of tenants.
    std::size_t position(const tenant_id& who, ticket which) const;
    /// The position() of the tenant's first; 0 if nothing of it waits.
    std::size_t position_of_first(const tenant_id& who) const;
    /// What position() would be for one that joined now.
    std::size_t position_of_next(const tenant_id& who) const;

private:
    /// Turns are points on a line of time: a tenant's next one is at `due`, the one behind it `stride` later.
    struct line {
        tenant_share share;
        std::uint64_t stride = 0;
        std::uint64_t due = 0;
        std::uint64_t order = 0;    // among those that are due at once: who came first
        std::deque<ticket> waiting;
        std::size_t running = 0;
        bool ready = false;    // it is in ready_
    };
    /// Sorted by what comes next.
    struct turn {
        std::uint64_t due;
        std::uint64_t order;
        tenant_id who;
        auto operator<=>(const turn&) const = default;
    };

    line& line_of(const tenant_id& who);
    const line* find(const tenant_id& who) const;
    /// Puts a line into ready_, or takes it out, after a change.
    void sort_in(const tenant_id& who, line& one);
    void forget_if_idle(const tenant_id& who);
    std::size_t position_at(const tenant_id& who, std::uint64_t due, std::uint64_t order, std::size_t ahead, std::uint64_t stride) const;

    std::function<tenant_share(const tenant_id&)> share_of_;
    std::unordered_map<tenant_id, line> tenants_;
    std::set<turn> ready_;
    std::uint64_t now_ = 0;    // when the last turn was due
    std::uint64_t next_order_ = 0;
    ticket next_ticket_ = 1;
    std::size_t waiting_ = 0;
    std::size_t running_ = 0;
};

}    // namespace caisson

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
    std::int64_t weight = 1;    // 1 to max_weight; turns relative to other waiting tenants
    std::size_t max_running = SIZE_MAX;

    static constexpr std::int64_t max_weight = 100;
};

/// Weighted round robin between waiting tenants, first come first served within a tenant. A tenant of weight 3 gets three turns,
/// evenly spread, for one turn of a tenant of weight 1. A tenant that comes late or was at its max_running saves up no turns. A tenant
/// waits only for the turns of others, unless next() passes over it. Deterministic. Each step costs the logarithm of the number of
/// tenants; next() also the number of tenants passed over; leave() in the middle of a line costs that line's length.
class fair_queue {
public:
    /// Names one entry. Later entries have greater tickets.
    using ticket = std::uint64_t;

    /// Calls `share_of` for each tenant that is new here, and in renew_shares(). A tenant without waiting or running entries is forgotten.
    explicit fair_queue(std::function<tenant_share(const tenant_id&)> share_of) : share_of_(std::move(share_of)) { }

    /// Adds an entry at the end of the tenant's line.
    ticket join(const tenant_id& who);
    /// Takes a ticket now, for a later rejoin().
    ticket draw() { return next_ticket_++; }
    /// Adds an entry at the place of an earlier ticket, ahead of all entries with later tickets.
    void rejoin(const tenant_id& who, ticket which);
    /// Removes an entry from its line without a turn. False if it is not there.
    bool leave(const tenant_id& who, ticket which);
    /// Removes the next entry and counts it as running. Nothing if no waiting tenant is below its max_running, or none may begin. A tenant
    /// whose first entry may not begin is passed over; it keeps its turn until that entry may begin.
    std::optional<ticket> next(const std::function<bool(const tenant_id& who, ticket which)>& may_begin = {});
    /// Updates the max_running of all known tenants; weights stay.
    void renew_shares();
    /// Counts one more running entry that did not wait here, whatever the bounds.
    void begin(const tenant_id& who);
    /// Counts one running entry less.
    void end(const tenant_id& who);

    std::size_t waiting() const { return waiting_; }
    std::size_t running() const { return running_; }
    std::size_t waiting(const tenant_id& who) const;
    std::size_t running(const tenant_id& who) const;
    /// The number of tenants with waiting or running entries.
    std::size_t tenants() const { return tenants_.size(); }

    /// The number of the entry's turn (1 is the next) if nobody joins, leaves or reaches its max_running; 0 if the entry does
    /// not wait. Costs the number of tenants.
    std::size_t position(const tenant_id& who, ticket which) const;
    /// The position() of the tenant's first entry; 0 if none waits.
    std::size_t position_of_first(const tenant_id& who) const;
    /// The position() of an entry that joined now.
    std::size_t position_of_next(const tenant_id& who) const;

private:
    /// A tenant's turns are points in virtual time: the next is at `due`, and each further one `stride` later.
    struct line {
        tenant_share share;
        std::uint64_t stride = 0;
        std::uint64_t due = 0;
        std::uint64_t order = 0;    // breaks ties of `due`: the first to come wins
        std::deque<ticket> waiting;
        std::size_t running = 0;
        bool ready = false;    // it is in ready_
    };
    /// Sorts the next turn first.
    struct turn {
        std::uint64_t due;
        std::uint64_t order;
        tenant_id who;
        auto operator<=>(const turn&) const = default;
    };

    line& line_of(const tenant_id& who);
    const line* find(const tenant_id& who) const;
    /// Adds a line to ready_, or removes it, after a change.
    void sort_in(const tenant_id& who, line& line);
    void forget_if_idle(const tenant_id& who);
    std::size_t position_at(const tenant_id& who, std::uint64_t due, std::uint64_t order, std::size_t ahead, std::uint64_t stride) const;

    std::function<tenant_share(const tenant_id&)> share_of_;
    std::unordered_map<tenant_id, line> tenants_;
    std::set<turn> ready_;
    std::uint64_t now_ = 0;    // virtual time of the last turn
    std::uint64_t next_order_ = 0;
    ticket next_ticket_ = 1;
    std::size_t waiting_ = 0;
    std::size_t running_ = 0;
};

}    // namespace caisson

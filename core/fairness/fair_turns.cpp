#include "core/fairness/fair_turns.hpp"

namespace caisson {

fair_turns::state::state(std::size_t most) : at_once(most), queue([](const tenant_id&) { return tenant_share{.max_running = 1}; }) { }

void fair_turns::state::begin_next()
{
    while (begun.size() < at_once) {
        const auto next = queue.next();
        if (!next)
            return;
        begun.insert(*next);
        if (const auto waiter = waiters.find(*next); waiter != waiters.end())
            waiter->second->notify_all();
    }
}

fair_turns::turn::turn(const fair_turns& of, tenant_id who)
    : of_(of.state_), came_(of.executor_), who_(std::move(who)), ticket_(of_->queue.join(who_))
{
    of_->waiters.emplace(ticket_, &came_);
    of_->begin_next();
}

fair_turns::turn::~turn()
{
    of_->waiters.erase(ticket_);
    if (of_->begun.erase(ticket_) > 0)
        of_->queue.end(who_);
    else
        of_->queue.leave(who_, ticket_);
    of_->begin_next();
}

}    // namespace caisson

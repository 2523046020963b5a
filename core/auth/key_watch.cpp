#include "core/auth/key_watch.hpp"

#include "core/async/without_exceptions.hpp"

namespace caisson {

std::shared_ptr<key_watch::waiter> key_watch::waiter_of(const key_id& key)
{
    auto& entry = watched_[key];
    if (!entry)
        entry = std::make_shared<watched>(executor_);
    return std::make_shared<waiter>(entry);
}

task<wait_end> key_watch::until_ended(key_id key) { return wait_for_end(waiter_of(key)); }

task<wait_end> key_watch::wait_for_end(std::shared_ptr<waiter> waiter)
{
    auto& of = waiter->of();
    while (!of.has_ended) {
        const auto woken = co_await of.changed.wait_past_or_cancelled(of.changed.version());
        if (woken == wait_end::cancelled)
            co_return woken;
    }
    co_return wait_end::came;
}

/// The watched keys. Forgets keys without a waiter.
std::vector<key_id> key_watch::waited_for()
{
    std::erase_if(watched_, [](const auto& each) { return each.second->waiting == 0; });
    std::vector<key_id> out;
    for (const auto& [key, entry] : watched_)
        out.push_back(key);
    return out;
}

task<> key_watch::run()
{
    for (;;) {
        co_await time_.wait_for(look_every);
        const auto keys = waited_for();
        for (const auto& key : keys) {
            auto asking = without_exceptions(auth_.is_in_force(key));
            const auto in_force = co_await std::move(asking);
            const auto found = watched_.find(key);
            if (in_force.has_error() || *in_force || found == watched_.end())
                continue;
            found->second->has_ended = true;
            found->second->changed.notify_all();
            watched_.erase(found);
        }
    }
}

}    // namespace caisson

#include "adapters/host/sandbox_stock.hpp"

#include "core/async/uncancellable.hpp"

namespace caisson {

std::unique_ptr<local_sandbox> sandbox_stock::take(const sandbox_spec& spec)
{
    while (!stock_.empty()) {
        auto taken = std::move(stock_.front());
        stock_.pop_front();
        const auto done = taken->repurpose(spec);
        if (!done.has_error())
            return taken;
        services_.log.warning("a prepared sandbox cannot be used", {{"sandbox", taken->id().str()}, {"what", done.error().detail}});
        discarded_.push_back(std::move(taken));
    }
    return nullptr;
}

task<> sandbox_stock::remove_discarded()
{
    while (!discarded_.empty()) {
        auto last = std::move(discarded_.back());
        discarded_.pop_back();
        co_await asio::this_coro::throw_if_cancelled(false);
        const auto removed = co_await uncancellable(last->destroy());    // if the server stops, discard_beyond() removes the rest
        if (removed.has_error())
            services_.log.warning("a prepared sandbox cannot be removed; the next sweep tries again",
                {{"sandbox", last->id().str()}, {"what", removed.error().detail}});
    }
}

task<> sandbox_stock::discard_beyond(std::size_t kept)
{
    for (; stock_.size() > kept; stock_.pop_back())
        discarded_.push_back(std::move(stock_.back()));
    return remove_discarded();
}

}    // namespace caisson

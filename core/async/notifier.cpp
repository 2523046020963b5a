#include "core/async/notifier.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

namespace caisson {

notifier::notifier(io_executor executor) : state_(std::make_shared<state>(executor)) { }

notifier::~notifier()
{
    state_->ended = true;
    state_->wake.cancel();
}

void notifier::notify_all()
{
    ++state_->version;
    state_->wake.cancel();
}

task<> notifier::wait_past(std::uint64_t seen) { return wait_or_throw(state_, seen); }

task<wait_end> notifier::wait_past_or_cancelled(std::uint64_t seen) { return wait(state_, seen); }

task<wait_end> notifier::wait(std::shared_ptr<state> shared, std::uint64_t seen)
{
    while (shared->version <= seen) {
        const auto cancelled = co_await asio::this_coro::cancellation_state;
        if (shared->ended || cancelled.cancelled() != asio::cancellation_type::none)
            co_return wait_end::cancelled;
        co_await shared->wake.async_wait(asio::as_tuple(use_task));
    }
    co_return wait_end::came;
}

task<> notifier::wait_or_throw(std::shared_ptr<state> shared, std::uint64_t seen)
{
    if (co_await wait(std::move(shared), seen) == wait_end::cancelled)
        throw boost::system::system_error(asio::error::operation_aborted);
}

}    // namespace caisson

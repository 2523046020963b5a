#pragma once

#include "core/async/deadline.hpp"

#include <utility>

namespace caisson {

/// Starts `first`, then `second`, and returns when both have ended. Then rethrows an exception of either; that of `first` has precedence.
/// Cancelling it cancels both.
template <class A, class B>
task<std::pair<A, B>> both(task<A> first, task<B> second)
{
    const auto executor = co_await asio::this_coro::executor;
    auto group = asio::experimental::make_parallel_group(asio::co_spawn(executor, detail::optionally(std::move(first)), asio::deferred),
        asio::co_spawn(executor, detail::optionally(std::move(second)), asio::deferred));
    auto ended = co_await group.async_wait(asio::experimental::wait_for_all(), use_task);
    auto& [order, failed_first, value_first, failed_second, value_second] = ended;
    if (failed_first)
        std::rethrow_exception(failed_first);
    if (failed_second)
        std::rethrow_exception(failed_second);
    co_return std::pair<A, B>(std::move(*value_first), std::move(*value_second));
}

}    // namespace caisson

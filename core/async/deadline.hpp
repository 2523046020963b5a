#pragma once

#include "core/async/task.hpp"
#include "core/async/timers.hpp"
#include "core/base/error.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>

#include <optional>
#include <variant>

namespace caisson {

namespace detail {

/// A T that co_spawn can complete with though T has no default.
template <class T>
task<std::optional<T>> optionally(task<T> work)
{
    co_return co_await std::move(work);
}
inline task<std::optional<std::monostate>> optionally(task<> work)
{
    co_await std::move(work);
    co_return std::monostate{};
}

/// What with_deadline gives for work that gives T: a result stays one, with one more way to fail.
template <class T>
struct timed {
    using type = result<T>;
};
template <class U>
struct timed<result<U>> {
    using type = result<U>;
};

template <class T>
task<typename timed<T>::type> first_or_timed_out(task<T> work, task<> timer)
{
    const auto executor = co_await asio::this_coro::executor;
    auto group = asio::experimental::make_parallel_group(
        asio::co_spawn(executor, optionally(std::move(work)), asio::deferred), asio::co_spawn(executor, std::move(timer), asio::deferred));
    auto ended = co_await group.async_wait(asio::experimental::wait_for_one(), use_task);
    auto& [order, failed, value, timer_failed] = ended;
    const bool timed_out = order[0] == 1;
    if (timed_out && timer_failed)
        std::rethrow_exception(timer_failed);    // the whole was cancelled
    if (timed_out && failed)
        co_return error{errc::timed_out, "the deadline passed"};
    if (failed)
        std::rethrow_exception(failed);
    if constexpr (std::is_void_v<T>)
        co_return result<void>();
    else
        co_return std::move(*value);    // also when both ended at once: what was done is not thrown away
}

}    // namespace detail

/// Runs both at once until one is done, cancels the other and waits for its end; the first to be done, also by an
/// exception, decides. Cancelling the race cancels both.
template <class A, class B>
auto race(task<A> first, task<B> second) -> task<
    std::variant<std::conditional_t<std::is_void_v<A>, std::monostate, A>, std::conditional_t<std::is_void_v<B>, std::monostate, B>>>
{
    using first_type = std::conditional_t<std::is_void_v<A>, std::monostate, A>;
    using second_type = std::conditional_t<std::is_void_v<B>, std::monostate, B>;
    const auto executor = co_await asio::this_coro::executor;
    auto group = asio::experimental::make_parallel_group(asio::co_spawn(executor, detail::optionally(std::move(first)), asio::deferred),
        asio::co_spawn(executor, detail::optionally(std::move(second)), asio::deferred));
    auto ended = co_await group.async_wait(asio::experimental::wait_for_one(), use_task);
    auto& [order, failed_first, value_first, failed_second, value_second] = ended;
    if (order[0] == 0) {
        if (failed_first)
            std::rethrow_exception(failed_first);
        co_return std::variant<first_type, second_type>(std::in_place_index<0>, std::move(*value_first));
    }
    if (failed_second)
        std::rethrow_exception(failed_second);
    co_return std::variant<first_type, second_type>(std::in_place_index<1>, std::move(*value_second));
}

namespace detail {

/// A result stays as it is; a result of a result helps nobody.
template <class T>
struct in_time_of {
    using type = result<T>;
};
template <class T>
struct in_time_of<result<T>> {
    using type = result<T>;
};
template <class T>
using in_time = typename in_time_of<T>::type;

template <class T>
task<in_time<T>> first_of(task<T> work, task<> expiry)
{
    auto outcome = co_await race(std::move(work), std::move(expiry));
    if (outcome.index() == 1)
        co_return error{errc::timed_out, "the deadline passed"};
    if constexpr (std::is_void_v<T>)
        co_return result<T>();
    else
        co_return std::get<0>(std::move(outcome));
}

}    // namespace detail

/// Runs `work` until `when`; errc::timed_out after that, when the cancelled work has ended without a value. Work that gives a result<U>
/// gives a result<U> here too. `time` must outlive the returned task.
template <class T>
auto with_deadline(timers& time, steady_time when, task<T> work) -> task<typename detail::timed<T>::type>
{
    return detail::first_or_timed_out<T>(std::move(work), time.wait_until(when));
}

}    // namespace caisson

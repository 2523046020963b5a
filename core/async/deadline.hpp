#pragma once

#include "core/async/task.hpp"
#include "core/async/timers.hpp"
#include "core/base/error.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include <optional>
#include <tuple>
#include <variant>

namespace caisson {

namespace detail {

/// Wraps the value in an optional, because co_spawn needs a default-constructible type. The overloads need no coroutine frame.
template <class T>
task<std::optional<T>> optionally(task<T> work)
{
    co_return co_await std::move(work);
}
inline task<> optionally(task<> work) { return work; }
inline task<wait_end> optionally(task<wait_end> work) { return work; }

/// The type that with_deadline() returns for work that returns T. A result<U> is not wrapped again.
template <class T>
struct timed {
    using type = result<T>;
};
template <class U>
struct timed<result<U>> {
    using type = result<U>;
};

template <class T>
task<typename timed<T>::type> first_or_timed_out(task<T> work, task<wait_end> timer)
{
    const auto executor = co_await asio::this_coro::executor;
    auto group = asio::experimental::make_parallel_group(
        asio::co_spawn(executor, optionally(std::move(work)), asio::deferred), asio::co_spawn(executor, std::move(timer), asio::deferred));
    auto ended = co_await group.async_wait(asio::experimental::wait_for_one(), use_task);
    const auto& failed = std::get<1>(ended);
    constexpr auto last = std::tuple_size_v<decltype(ended)> - 1;
    const auto& timer_failed = std::get<last - 1>(ended);
    const bool timed_out = std::get<0>(ended)[0] == 1;
    if (timed_out && timer_failed)
        std::rethrow_exception(timer_failed);
    if (timed_out && std::get<last>(ended) == wait_end::cancelled)    // the caller was cancelled
        throw boost::system::system_error(asio::error::operation_aborted);
    if (timed_out && failed)
        co_return error{errc::timed_out, "the deadline passed"};
    if (failed)
        std::rethrow_exception(failed);
    if constexpr (std::is_void_v<T>)
        co_return result<void>();
    else
        co_return std::move(*std::get<2>(ended));    // also if both ended at once: a value is never dropped
}

/// True if the end of the work carries no value.
template <class T>
inline constexpr bool is_mere_wait = std::is_void_v<T> || std::is_same_v<T, wait_end>;

/// The alternative for work that returns T in a race's outcome.
template <class T>
using raced = std::conditional_t<is_mere_wait<T>, std::monostate, T>;

/// The outcome of the work that ended first, found recursively. `Number` is the index of the work that returns T. Its exception is at
/// `Place` in the group's results, followed by its value, if it has one.
template <class Outcome, std::size_t Number, std::size_t Place, class T, class... Rest, class Ended>
Outcome first_outcome(Ended& ended)
{
    if constexpr (sizeof...(Rest) > 0)
        if (std::get<0>(ended)[0] != Number)
            return first_outcome<Outcome, Number + 1, Place + (std::is_void_v<T> ? 1 : 2), Rest...>(ended);
    if (const auto& failed = std::get<Place>(ended))
        std::rethrow_exception(failed);
    if constexpr (std::is_same_v<T, wait_end>)
        if (std::get<Place + 1>(ended) == wait_end::cancelled)    // the race was cancelled, or the awaited object is gone
            throw boost::system::system_error(asio::error::operation_aborted);
    if constexpr (is_mere_wait<T>)
        return Outcome(std::in_place_index<Number>);
    else
        return Outcome(std::in_place_index<Number>, std::move(*std::get<Place + 1>(ended)));
}

}    // namespace detail

/// Runs all works at once until one ends, then cancels the others and waits for their end. The first to end decides, also by its
/// exception. If it returns wait_end::cancelled, the race throws operation_aborted. Cancelling the race cancels all.
template <class... T>
auto race(task<T>... works) -> task<std::variant<detail::raced<T>...>>
{
    const auto executor = co_await asio::this_coro::executor;
    auto group = asio::experimental::make_parallel_group(asio::co_spawn(executor, detail::optionally(std::move(works)), asio::deferred)...);
    auto ended = co_await group.async_wait(asio::experimental::wait_for_one(), use_task);
    co_return detail::first_outcome<std::variant<detail::raced<T>...>, 0, 1, T...>(ended);
}

/// Runs `work`, cancels it at `when`, and waits for its end. errc::timed_out if it then throws; if it returns, its value counts.
/// Work that returns result<U> yields result<U>. `time` must outlive the returned task.
template <class T>
auto with_deadline(timers& time, steady_time when, task<T> work) -> task<typename detail::timed<T>::type>
{
    static_assert(!std::is_same_v<T, wait_end>, "wait_past(), wait_until() and the like end by an exception when the time is over");
    return detail::first_or_timed_out<T>(std::move(work), time.wait_until_or_cancelled(when));
}

}    // namespace caisson

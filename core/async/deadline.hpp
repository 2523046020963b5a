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

/// A T that co_spawn can complete with though T has no default. Work without a value needs no frame of its own for that.
template <class T>
task<std::optional<T>> optionally(task<T> work)
{
    co_return co_await std::move(work);
}
inline task<> optionally(task<> work) { return work; }
inline task<wait_end> optionally(task<wait_end> work) { return work; }

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
    if (timed_out && std::get<last>(ended) == wait_end::cancelled)    // and the whole with it
        throw boost::system::system_error(asio::error::operation_aborted);
    if (timed_out && failed)
        co_return error{errc::timed_out, "the deadline passed"};
    if (failed)
        std::rethrow_exception(failed);
    if constexpr (std::is_void_v<T>)
        co_return result<void>();
    else
        co_return std::move(*std::get<2>(ended));    // also when both ended at once: what was done is not thrown away
}

/// Of a wait that came to its end nothing more is to be said.
template <class T>
inline constexpr bool is_mere_wait = std::is_void_v<T> || std::is_same_v<T, wait_end>;

/// What stands for the value of a T in a race's outcome.
template <class T>
using raced = std::conditional_t<is_mere_wait<T>, std::monostate, T>;

/// The outcome of what ended first of works that give a T and the Rest: the one numbered `Number`, whose exception is at `Place` among
/// the group's results, and its value, if it gives one, behind it; or one of those that follow.
template <class Outcome, std::size_t Number, std::size_t Place, class T, class... Rest, class Ended>
Outcome first_outcome(Ended& ended)
{
    if constexpr (sizeof...(Rest) > 0)
        if (std::get<0>(ended)[0] != Number)
            return first_outcome<Outcome, Number + 1, Place + (std::is_void_v<T> ? 1 : 2), Rest...>(ended);
    if (const auto& failed = std::get<Place>(ended))
        std::rethrow_exception(failed);
    if constexpr (std::is_same_v<T, wait_end>)
        if (std::get<Place + 1>(ended) == wait_end::cancelled)    // with the whole race, or what it waits on is gone
            throw boost::system::system_error(asio::error::operation_aborted);
    if constexpr (is_mere_wait<T>)
        return Outcome(std::in_place_index<Number>);
    else
        return Outcome(std::in_place_index<Number>, std::move(*std::get<Place + 1>(ended)));
}

}    // namespace detail

/// Runs all at once until one is done, cancels the others and waits for their end; the first to be done, also by an
/// exception, decides; a wait_end that is the first and was cancelled throws operation_aborted. Cancelling the race cancels all.
template <class... T>
auto race(task<T>... works) -> task<std::variant<detail::raced<T>...>>
{
    const auto executor = co_await asio::this_coro::executor;
    auto group = asio::experimental::make_parallel_group(asio::co_spawn(executor, detail::optionally(std::move(works)), asio::deferred)...);
    auto ended = co_await group.async_wait(asio::experimental::wait_for_one(), use_task);
    co_return detail::first_outcome<std::variant<detail::raced<T>...>, 0, 1, T...>(ended);
}

/// Runs `work` until `when`; errc::timed_out after that, when the cancelled work has ended without a value. Work that gives a result<U>
/// gives a result<U> here too; work that returns when it is cancelled counts as done. `time` must outlive the returned task.
template <class T>
auto with_deadline(timers& time, steady_time when, task<T> work) -> task<typename detail::timed<T>::type>
{
    static_assert(!std::is_same_v<T, wait_end>, "wait_past(), wait_until() and the like end by an exception when the time is over");
    return detail::first_or_timed_out<T>(std::move(work), time.wait_until_or_cancelled(when));
}

}    // namespace caisson

#pragma once

#include "core/async/task.hpp"

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>

namespace caisson {

/// Named threads for blocking work. Join or destroy it before its callers' io_context.
class worker_pool {
public:
    worker_pool(std::string name, std::size_t threads);
    ~worker_pool() { join(); }

    /// Finishes all posted work and ends the threads. May be called again.
    void join() { pool_.join(); }
    asio::thread_pool& pool() { return pool_; }

private:
    asio::thread_pool pool_;
};

namespace detail {
template <class R>
using optional_of = std::optional<std::conditional_t<std::is_void_v<R>, std::monostate, R>>;
template <class R>
using completion_signature = void(std::exception_ptr, optional_of<R>);
}    // namespace detail

/// Resumes one suspended coroutine on the I/O thread. Must be called exactly once, from any thread.
template <class R>
using completion = std::function<void(std::exception_ptr, detail::optional_of<R>)>;

/// Suspends, passes a completion to `start`, and returns the value that the completion is called with. Not cancellable: the completion is
/// always awaited, so its references into the caller's frame stay valid.
template <class R, class Start>
task<R> suspend_until_complete(Start start)
{
    auto initiate = [](auto handler, Start begin) {
        using handler_type = decltype(handler);
        auto executor = asio::get_associated_executor(handler);
        auto shared = std::make_shared<handler_type>(std::move(handler));
        auto guard = asio::make_work_guard(executor);
        completion<R> done = [shared, guard, executor](std::exception_ptr failure, detail::optional_of<R> value) mutable {
            // The handler takes the guard: it must not be released on this thread, as the loop may have ended by then.
            asio::post(executor, [shared = std::move(shared), guard = std::move(guard), failure = std::move(failure),
                                     value = std::move(value)]() mutable { (*shared)(std::move(failure), std::move(value)); });
        };
        begin(std::move(done));
    };
    auto value =
        co_await asio::async_initiate<decltype(use_task), detail::completion_signature<R>>(std::move(initiate), use_task, std::move(start));
    if constexpr (!std::is_void_v<R>)
        co_return std::move(*value);
}

/// Runs `work` on `pool`, destroys it there, and resumes on the I/O thread with its value or exception.
template <class F>
task<std::invoke_result_t<F>> offload(worker_pool& pool, F work)
{
    using R = std::invoke_result_t<F>;
    auto start = [&pool, work = std::move(work)](completion<R> done) mutable {
        asio::post(pool.pool(), [work = std::optional<F>(std::move(work)), done = std::move(done)]() mutable {
            detail::optional_of<R> value;
            std::exception_ptr failure;
            try {
                if constexpr (std::is_void_v<R>) {
                    (*work)();
                    value.emplace();
                } else {
                    value.emplace((*work)());
                }
            } catch (...) {
                failure = std::current_exception();
            }
            work.reset();
            done(std::move(failure), std::move(value));
        });
    };
    return suspend_until_complete<R>(std::move(start));
}

}    // namespace caisson

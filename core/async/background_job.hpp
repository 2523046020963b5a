#pragma once

#include "core/async/offload.hpp"

#include <boost/asio/strand.hpp>

#include <memory>
#include <mutex>
#include <utility>

namespace caisson {

/// Runs work on a pool, one piece at a time, in the order of posting.
using worker_strand = asio::strand<asio::thread_pool::executor_type>;

/// A background job on a pool. The constructor starts it. It runs to its end even if nobody waits for it. I/O thread.
template <class R>
class background_job {
public:
    template <class F>
    background_job(worker_pool& pool, F work)
    {
        begin(pool.pool().get_executor(), std::move(work));
    }
    /// Starts `work` after all earlier work on `order` has ended.
    template <class F>
    background_job(worker_strand order, F work)
    {
        begin(std::move(order), std::move(work));
    }

    /// Waits for the work's value or exception. Call once; the object may be destroyed during the wait.
    task<R> end()
    {
        auto wait = [state = state_](completion<R> resume) { state->wait(std::move(resume)); };
        return suspend_until_complete<R>(std::move(wait));
    }

private:
    struct state {
        std::mutex mutex;
        bool finished = false;
        std::exception_ptr failure;
        detail::optional_of<R> value;
        completion<R> waiter;

        void finish(std::exception_ptr what, detail::optional_of<R> got)
        {
            completion<R> resume;
            {
                const std::lock_guard lock(mutex);
                finished = true;
                failure = std::move(what);
                value = std::move(got);
                resume = std::exchange(waiter, nullptr);
            }
            if (resume)
                resume(std::move(failure), std::move(value));
        }
        void wait(completion<R> resume)
        {
            {
                const std::lock_guard lock(mutex);
                if (!finished) {
                    waiter = std::move(resume);
                    return;
                }
            }
            resume(std::move(failure), std::move(value));
        }
    };
    template <class Executor, class F>
    void begin(Executor where, F work)
    {
        asio::post(where, [state = state_, work = std::move(work)]() mutable {
            detail::optional_of<R> value;
            std::exception_ptr failure;
            try {
                value.emplace(work());
            } catch (...) {
                failure = std::current_exception();
            }
            state->finish(std::move(failure), std::move(value));
        });
    }

    std::shared_ptr<state> state_ = std::make_shared<state>();
};

}    // namespace caisson

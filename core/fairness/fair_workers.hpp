#pragma once

#include "core/async/offload.hpp"
#include "core/fairness/fair_turns.hpp"
#include "core/fairness/io_turns.hpp"

#include <cstddef>
#include <type_traits>
#include <utility>

namespace caisson {

/// Runs long work off the I/O thread. Tenants take turns, each with one thread at most: see fair_turns. Call from the I/O thread. Must
/// outlive its calls.
class fair_workers {
public:
    /// Uses `threads` threads of `workers`. `on_io_thread` shares the I/O thread among tenants; null: it is not shared. Both must outlive
    /// this object.
    fair_workers(io_executor executor, worker_pool& workers, std::size_t threads, io_turns* on_io_thread = nullptr)
        : workers_(workers), turns_(executor, threads), on_io_thread_(on_io_thread)
    {
    }

    /// Larger requests and answers are processed off the I/O thread. JSON of many short names takes longest, some 60 ns a byte: some 2 ms
    /// for this size.
    static constexpr std::size_t most_at_once_bytes = 32 << 10;

    /// Runs `work` on a worker thread and returns its value. `work` must not use data that the I/O thread changes meanwhile; data that it
    /// refers to must outlive the call. Can be cancelled only while it waits for its turn.
    template <class F>
    task<std::invoke_result_t<F>> run(tenant_id who, F work)
    {
        fair_turns::turn mine(turns_, std::move(who));
        while (!mine.has_come())
            co_await mine.come();
        auto working = offload(workers_, std::move(work));
        co_return co_await std::move(working);
    }

    std::size_t waiting() const { return turns_.waiting(); }
    /// Null if tenants do not share the I/O thread.
    io_turns* on_io_thread() const { return on_io_thread_; }

private:
    worker_pool& workers_;
    fair_turns turns_;
    io_turns* on_io_thread_;
};

/// Returns when the tenant may begin a step of `bytes` on the I/O thread; at once if `workers` is null or does not share the thread.
inline task<> wait_for_turn(fair_workers* workers, tenant_id who, io_turns::kind of, std::size_t bytes)
{
    auto* const turns = workers != nullptr ? workers->on_io_thread() : nullptr;
    if (turns == nullptr || turns->try_begin(who, of, bytes))
        co_return;
    auto turn = turns->wait(std::move(who), of, bytes);
    co_await std::move(turn);
}

/// Runs `work`, which reads or writes about `bytes` of a tenant, and returns its value. Up to most_at_once_bytes it runs on the I/O thread
/// in the tenant's turn, else by fair_workers::run(). If `workers` is null it runs at once.
template <class F>
task<std::invoke_result_t<F>> by_size(fair_workers* workers, tenant_id who, std::size_t bytes, F work)
{
    if (workers == nullptr)
        co_return work();
    if (bytes <= fair_workers::most_at_once_bytes) {
        auto turn = wait_for_turn(workers, std::move(who), io_turns::kind::request, bytes);
        co_await std::move(turn);
        co_return work();
    }
    auto working = workers->run(std::move(who), std::move(work));
    co_return co_await std::move(working);
}

}    // namespace caisson

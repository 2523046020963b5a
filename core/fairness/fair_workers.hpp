#pragma once

#include "core/async/offload.hpp"
#include "core/fairness/fair_turns.hpp"
#include "core/fairness/io_turns.hpp"

#include <cstddef>
#include <type_traits>
#include <utility>

namespace caisson {

/// Does what takes long beside the I/O thread. Tenants take turns, each with one thread at most: see fair_turns. I/O thread only, but for
/// the work itself. Outlives all that it does.
class fair_workers {
public:
    /// Uses so many `threads` of `workers`. `on_io_thread` shares the I/O thread among tenants; null: the I/O thread is not shared. Both
    /// outlive it.
    fair_workers(io_executor executor, worker_pool& workers, std::size_t threads, io_turns* on_io_thread = nullptr)
        : workers_(workers), turns_(executor, threads), on_io_thread_(on_io_thread)
    {
    }

    /// More of a request or an answer than this is worked on beside the I/O thread. JSON of many short names takes the longest, some 60 ns
    /// a byte: then this is some 2 ms.
    static constexpr std::size_t most_at_once_bytes = 32 << 10;

    /// The value of `work`, which a worker computes. `work` must use nothing that the I/O thread changes meanwhile; what it refers to
    /// outlives the call, which can be cancelled only while it waits for its turn.
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

/// Returns when the tenant may begin a step of `bytes` on the I/O thread; at once if there are no `workers`, or they do not share it.
inline task<> wait_for_turn(fair_workers* workers, tenant_id who, io_turns::kind of, std::size_t bytes)
{
    auto* const turns = workers != nullptr ? workers->on_io_thread() : nullptr;
    if (turns == nullptr || turns->try_begin(who, of, bytes))
        co_return;
    auto turn = turns->wait(std::move(who), of, bytes);
    co_await std::move(turn);
}

/// The value of `work`, which reads or writes about `bytes` of a tenant: computed on the I/O thread, in the tenant's turn, if that is
/// little; else as fair_workers::run() does. At once if there are no `workers`.
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

#include "core/adapters/spawn/lock_looks.hpp"

#include "core/adapters/spawn/record_locks.hpp"

#include <chrono>
#include <exception>

namespace caisson {

namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

constexpr std::chrono::milliseconds longest_look{100};
constexpr int times_between = 4;    // so many times a look's own time lies between two of them

std::int64_t now_ns() { return nanoseconds(steady_clock::now().time_since_epoch()).count(); }

}    // namespace

bool lock_looks::try_begin(worker_pool& workers, process_source processes, std::int64_t enough, count result)
{
    if (now_ns() < state_->next_ns || state_->is_busy.exchange(true))
        return false;
    asio::post(workers.pool(), [mine = state_, processes = std::move(processes), enough, result = std::move(result)] {
        look(*mine, processes, enough, *result);
    });
    return true;
}

void lock_looks::look(state& mine, const process_source& processes, std::int64_t enough, std::atomic<std::int64_t>& result) noexcept
{
    constexpr std::size_t step = 7'919;    // prime, so that looks that are cut short begin everywhere in time
    const auto begin = now_ns();
    const auto latest = begin + nanoseconds(longest_look).count();
    try {
        result = count_record_locks(processes(), ++mine.looks * step, enough, [latest] { return now_ns() >= latest; });
    } catch (const std::exception&) {
        result = 0;    // no memory or no descriptor: the next look tells
    }
    const auto end = now_ns();
    mine.next_ns = end + (end - begin) * times_between;
    mine.is_busy = false;
}

}    // namespace caisson

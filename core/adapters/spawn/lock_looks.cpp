#include "core/adapters/spawn/lock_looks.hpp"

#include "core/adapters/spawn/record_locks.hpp"

#include <algorithm>
#include <chrono>
#include <exception>

namespace caisson {

namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

constexpr std::size_t descriptors_of_a_look = 20'000;    // 100 ms
constexpr int times_between = 4;                         // so many times a look's own time lies between two of them

std::int64_t now_ns() { return nanoseconds(steady_clock::now().time_since_epoch()).count(); }

}    // namespace

bool lock_looks::try_begin(worker_pool& workers, process_source processes, std::int64_t enough, count result)
{
    const auto now = now_ns();
    if (!is_next(result, now) || now < state_->next_ns || state_->is_busy.exchange(true))
        return false;
    waiting_.pop_front();
    asio::post(workers.pool(),
        [mine = state_, processes = std::move(processes), enough, result = std::move(result)] { look(*mine, processes, enough, *result); });
    return true;
}

/// Who has not asked for long does not want it any more.
bool lock_looks::is_next(const count& whose, std::int64_t now_ns)
{
    std::erase_if(
        waiting_, [&](const waiter& each) { return each.whose != whose && now_ns - each.asked_ns > nanoseconds(patience).count(); });
    const auto known = std::ranges::find(waiting_, whose, &waiter::whose);
    if (known == waiting_.end())
        waiting_.push_back({whose, now_ns});
    else
        known->asked_ns = now_ns;
    return waiting_.front().whose == whose;
}

void lock_looks::look(state& mine, const process_source& processes, std::int64_t enough, std::atomic<std::int64_t>& result) noexcept
{
    constexpr std::size_t step = 7'919;    // prime, so that looks that are cut short begin everywhere in time
    const auto begin = now_ns();
    try {
        result = count_record_locks(processes(), ++mine.looks * step, enough, descriptors_of_a_look);
    } catch (const std::exception&) {
        result = 0;    // no memory or no descriptor: the next look tells
    }
    const auto end = now_ns();
    mine.next_ns = end + (end - begin) * times_between;
    mine.is_busy = false;
}

}    // namespace caisson

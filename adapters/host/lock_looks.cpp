#include "adapters/host/lock_looks.hpp"

#include "adapters/host/record_locks.hpp"

#include <algorithm>
#include <exception>

namespace caisson {

namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

constexpr std::chrono::milliseconds cpu_of_a_look{500};    // for about 100,000 descriptors
constexpr std::int64_t times_between = 4;                  // pause between two counts, in multiples of the last count's duration
constexpr std::chrono::milliseconds most_between{500};

std::int64_t now_ns() { return nanoseconds(steady_clock::now().time_since_epoch()).count(); }

}    // namespace

bool lock_looks::try_begin(
    worker_pool& workers, process_source processes, std::int64_t enough, const count& result, std::chrono::milliseconds patience)
{
    const auto now = now_ns();
    if (!is_next(result, now, patience) || now < state_->next_ns || state_->is_busy)
        return false;
    state_->is_busy = true;    // before posting: the worker may finish at once
    try {
        asio::post(
            workers.pool(), [mine = state_, processes = std::move(processes), enough, result] { look(*mine, processes, enough, *result); });
    } catch (...) {
        state_->is_busy = false;
        throw;
    }
    waiting_.pop_front();
    return true;
}

/// Removes waiters that are gone or stopped asking, and records that `whose` asks.
bool lock_looks::is_next(const count& whose, std::int64_t now_ns, std::chrono::milliseconds patience)
{
    const auto is_own = [&](const waiter& each) { return each.whose.lock() == whose; };
    std::erase_if(waiting_, [&](const waiter& each) { return each.whose.expired() || (!is_own(each) && now_ns > each.latest_ns); });
    auto own = std::ranges::find_if(waiting_, is_own);
    if (own == waiting_.end())
        own = waiting_.insert(own, {whose, 0});
    own->latest_ns = now_ns + nanoseconds(patience).count();
    return is_own(waiting_.front());
}

void lock_looks::look(state& mine, const process_source& processes, std::int64_t enough, std::atomic<std::int64_t>& result) noexcept
{
    const auto begin = now_ns();
    try {
        result = count_record_locks(processes(), enough, cpu_of_a_look);
    } catch (const std::exception&) {
        result = 0;    // out of memory or descriptors here: the next count decides
    }
    const auto end = now_ns();
    mine.next_ns = end + std::min((end - begin) * times_between, nanoseconds(most_between).count());
    mine.is_busy = false;
}

}    // namespace caisson

#include "core/fairness/io_turns.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>

namespace caisson {

/// A step that waits in its line until a round grants it or it is destroyed.
class io_turns::step {
public:
    step(std::shared_ptr<state> in, line_key where, std::size_t bytes)
        : state_(std::move(in)), where_(std::move(where)), bytes_(bytes), granted_(state_->executor)
    {
        auto& waiting = state_->lines[where_].waiting;
        place_ = waiting.insert(waiting.end(), this);
        state_->ask_for_round();
    }
    ~step()
    {
        if (!is_granted_)    // a line in which a step waits is not erased
            state_->lines.find(where_)->second.waiting.erase(place_);
    }
    step(const step&) = delete;
    step& operator=(const step&) = delete;

    std::size_t bytes() const { return bytes_; }
    bool is_granted() const { return is_granted_; }
    task<> wait() { return granted_.wait_past(0); }
    /// The caller must have removed the step from its line.
    void grant()
    {
        is_granted_ = true;
        granted_.notify_all();
    }

private:
    const std::shared_ptr<state> state_;
    const line_key where_;
    const std::size_t bytes_;
    notifier granted_;
    std::list<step*>::iterator place_;
    bool is_granted_ = false;
};

/// Posts the round, behind all handlers that are queued now.
void io_turns::state::ask_for_round()
{
    if (std::exchange(round_asked, true))
        return;
    asio::post(executor, [self = shared_from_this()] { self->begin_round(); });
}

/// Granted steps are resumed in their own handlers, ahead of the next round.
void io_turns::state::begin_round()
{
    round_asked = false;
    for (auto each = lines.begin(); each != lines.end();) {
        auto& [used, waiting] = each->second;
        used -= std::min(used, most_bytes);
        while (!waiting.empty() && used < most_bytes) {
            auto* const next = waiting.front();
            waiting.pop_front();
            used += std::max(next->bytes(), least_bytes);
            next->grant();
        }
        each = used == 0 && waiting.empty() ? lines.erase(each) : std::next(each);
    }
    if (!lines.empty())
        ask_for_round();
}

/// Asks for a round only once half of most_bytes is used, so that light tenants cause none.
bool io_turns::try_begin(const tenant_id& tenant, kind of, std::size_t bytes)
{
    auto& [used, waiting] = state_->lines[{tenant, of}];
    if (!waiting.empty() || used >= most_bytes)
        return false;
    used += std::max(bytes, least_bytes);
    if (used >= most_bytes / 2)
        state_->ask_for_round();
    return true;
}

task<> io_turns::wait(tenant_id tenant, kind of, std::size_t bytes)
{
    return wait_for(std::make_unique<step>(state_, line_key(std::move(tenant), of), bytes));
}

task<> io_turns::wait_for(std::unique_ptr<step> step)
{
    while (!step->is_granted())
        co_await step->wait();
}

std::size_t io_turns::waiting() const
{
    std::size_t sum = 0;
    for (const auto& [where, line] : state_->lines)
        sum += line.waiting.size();
    return sum;
}

}    // namespace caisson

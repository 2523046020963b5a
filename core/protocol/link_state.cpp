#include "core/protocol/link_state.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace caisson::protocol {

namespace {

/// Target size of one write: efficient, yet control frames do not wait long behind data.
constexpr std::size_t batch_bytes = 512 * 1024;

bool is_from_agent(frame_type type) { return type >= frame_type::state && type <= frame_type::parked; }

}    // namespace

void link_state::attach(exec_number number, execution_sink& sink, std::optional<resume_point> resume)
{
    detach(number);
    executions_.emplace(number, std::make_shared<link_execution>(number, sink, resume));
}

void link_state::detach(exec_number number)
{
    const auto found = executions_.find(number);
    if (found == executions_.end())
        return;
    found->second->detach();
    executions_.erase(found);
}

std::shared_ptr<link_execution> link_state::find(exec_number number) const
{
    const auto found = executions_.find(number);
    return found == executions_.end() ? nullptr : found->second;
}

void link_state::forget(exec_number number)
{
    detach(number);
    forgotten_.insert(number);
    forgets_due_.insert(number);
}

void link_state::connected(bool carries_descriptors, std::uint32_t version)
{
    version_ = version;
    carries_descriptors_ = carries_descriptors;
    for (const auto& [number, execution] : executions_)
        execution->connected();
    forgets_due_ = forgotten_;
    shutdown_due_ = shutdown_wanted_;
    ping_due_ = false;
}

void link_state::park(std::string frame, shared_descriptors join)
{
    park_ = std::move(frame);
    park_join_ = std::move(join);
    was_parked_.reset();
}

bool link_state::fill(frame_batch& batch)
{
    report_refusals();
    fill_park(batch);
    if (!fill_executions(batch))
        return true;
    for (const auto number : std::exchange(forgets_due_, {}))
        encode_bare_frame(batch.text(), frame_type::forget, number);
    if (std::exchange(shutdown_due_, false))
        encode_bare_frame(batch.text(), frame_type::shutdown, 0);
    if (std::exchange(ping_due_, false))
        encode_bare_frame(batch.text(), frame_type::ping, 0);
    return !batch.empty();
}

/// PARK is the first frame of its batch, because its descriptors ride on the first byte.
void link_state::fill_park(frame_batch& batch)
{
    if (const auto join = std::exchange(park_join_, nullptr); join && !join->empty())
        batch.set_descriptors(join);
    batch.text() += std::exchange(park_, {});
}

/// A signal to everyone must not reach a program spawned after it, even across reconnects: SPAWN waits for its confirmation.
bool link_state::has_to_wait(const link_execution& one) const
{
    const auto kills = [](const auto& each) { return each.second->is_to_kill_all(); };
    return one.is_to_start() && std::any_of(executions_.begin(), executions_.end(), kills);
}

/// False if an execution needs a new batch.
bool link_state::fill_executions(frame_batch& batch)
{
    using filled = link_execution::filled;
    std::size_t idle = 0;
    auto turn = executions_.lower_bound(next_);
    while (idle < executions_.size() && batch.size() < batch_bytes) {
        if (turn == executions_.end())
            turn = executions_.begin();
        auto& one = *turn->second;
        const auto done = has_to_wait(one) ? filled::nothing : one.fill(batch, carries_descriptors_, version_);
        next_ = turn->first;
        if (done == filled::needs_new_batch)
            return false;
        idle = done == filled::something ? 0 : idle + 1;
        ++turn;
    }
    next_ = turn == executions_.end() ? 0 : turn->first;
    return true;
}

void link_state::report_refusals()
{
    std::vector<std::shared_ptr<link_execution>> now;    // a sink may change the map
    for (const auto& [number, execution] : executions_)
        if (execution->is_refused())
            now.push_back(execution);
    for (const auto& each : now)
        each->report_refusal();
}

bool link_state::on_frame(const frame_view& frame)
{
    if (!is_from_agent(frame.type))
        return false;
    if (frame.type == frame_type::forgotten) {
        forgotten_.erase(frame.exec);
        forgets_due_.erase(frame.exec);
        return true;
    }
    if (frame.type == frame_type::parked) {
        parked what;
        if (!decode(frame.body, what))
            return false;
        was_parked_ = what.code == 0;
        return true;
    }
    const auto execution = find(frame.exec);    // kept alive while its sink is called
    return !execution || execution->on_frame(frame);
}

}    // namespace caisson::protocol

#pragma once

#include "core/protocol/agent_link.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace caisson {

/// A program at a sandbox's agent: the link tells `sink` of it from the constructor to the destructor or forget(). Ending this object does
/// not end the program. I/O thread only.
class agent_process {
public:
    /// `sink` outlives it. With `resume` the program is one that an earlier server started.
    agent_process(std::shared_ptr<protocol::agent_link> link, protocol::exec_number number, protocol::execution_sink& sink,
        std::optional<protocol::resume_point> resume = std::nullopt)
        : link_(std::move(link)), number_(number)
    {
        link_->attach(number_, sink, resume);
    }
    ~agent_process() { link_->detach(number_); }
    agent_process(const agent_process&) = delete;
    agent_process& operator=(const agent_process&) = delete;

    protocol::exec_number number() const { return number_; }

    /// Starts it, below the agent's control groups and those of `join`, which are duplicated here.
    void start(protocol::spawn_request request, const std::vector<int>& join = {}) { link_->spawn(number_, std::move(request), join); }
    void signal(int signal_number, protocol::agent_link::target to) { link_->signal(number_, signal_number, to); }
    /// The agent drops all that it has of it. Call when it has ended, or nobody needs it.
    void forget() { link_->forget(number_); }

private:
    std::shared_ptr<protocol::agent_link> link_;
    protocol::exec_number number_;
};

/// An agent is told at the latest after so many bytes that they need not be kept any more.
inline constexpr std::uint64_t acknowledge_every = 128 << 10;

/// Tells the agent which bytes of a program's stream need not be kept any more, as long as the link lives.
inline std::function<void(protocol::stream_number stream, std::uint64_t end)> acknowledging(
    const std::shared_ptr<protocol::agent_link>& link, protocol::exec_number number)
{
    return [to = std::weak_ptr(link), number](protocol::stream_number stream, std::uint64_t end) {
        if (const auto alive = to.lock())
            alive->acknowledge(number, stream, end);
    };
}

}    // namespace caisson

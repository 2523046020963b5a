#include "adapters/mock/mock_sandbox.hpp"

namespace caisson {

namespace {

/// The sandbox's only group, with all programs.
class mock_group : public execution_group {
public:
    explicit mock_group(std::shared_ptr<mock_agent> agent) : agent_(std::move(agent)) { }

    std::vector<int> join_descriptors() const override { return {}; }
    group_usage usage() const override { return {.cpu_us = 0, .memory_peak_bytes = 0, .pids_peak = 1, .oom_kills = agent_->oom_kills()}; }
    void kill() noexcept override { agent_->kill_programs(); }
    std::size_t population() const override { return agent_->running_programs(); }
    task<result<void>> remove() override { co_return result<void>(); }

private:
    std::shared_ptr<mock_agent> agent_;
};

}    // namespace

task<result<std::unique_ptr<protocol::byte_stream>>> mock_sandbox::connect()
{
    if (!started_)
        co_return error{errc::runtime_unavailable, "the agent does not run"};
    co_return agent_->connect();
}

result<std::unique_ptr<execution_group>> mock_sandbox::open_group(group_name, group_limits) { return std::make_unique<mock_group>(agent_); }

task<result<void>> mock_sandbox::pause()
{
    agent_->set_paused(true);
    co_return result<void>();
}

task<result<void>> mock_sandbox::resume()
{
    agent_->set_paused(false);
    co_return result<void>();
}

task<result<void>> mock_sandbox::stop()
{
    co_await agent_->stop();
    co_return result<void>();
}

task<result<void>> mock_sandbox::destroy()
{
    co_await agent_->stop();
    agents_->erase(id_);
    co_return result<void>();
}

}    // namespace caisson

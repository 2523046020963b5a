#pragma once

#include "adapters/mock/mock_agent.hpp"
#include "core/runtime/ports.hpp"

#include <map>

namespace caisson {

/// A handle of one sandbox of the mock runtime.
class mock_sandbox : public sandbox {
public:
    using agent_map = std::map<sandbox_id, std::shared_ptr<mock_agent>>;

    mock_sandbox(sandbox_id id, std::shared_ptr<mock_agent> agent, std::shared_ptr<agent_map> agents, std::string work_directory)
        : id_(std::move(id)), agent_(std::move(agent)), agents_(std::move(agents)), work_directory_(std::move(work_directory))
    {
    }

    const sandbox_id& id() const override { return id_; }
    std::string runtime_state() const override { return R"({"runtime":"mock"})"; }
    std::string work_directory() const override { return work_directory_; }
    task<result<std::unique_ptr<protocol::byte_stream>>> connect() override;
    result<std::unique_ptr<execution_group>> open_group(group_name name, group_limits limits) override;
    std::optional<disk_usage> disk() const override { return disk_usage{.bytes_exhausted = agent_->disk_full()}; }
    task<std::string> ended() override { return agent_->ended(); }
    task<result<void>> pause() override;
    task<result<void>> resume() override;
    task<result<void>> stop() override;
    task<result<void>> destroy() override;

    /// Allows connections; before it connect() fails.
    void set_started() { started_ = true; }

private:
    sandbox_id id_;
    std::shared_ptr<mock_agent> agent_;
    std::shared_ptr<agent_map> agents_;
    std::string work_directory_;
    bool started_ = false;
};

}    // namespace caisson

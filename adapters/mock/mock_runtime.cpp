#include "adapters/mock/mock_runtime.hpp"

#include "adapters/mock/mock_sandbox.hpp"

namespace caisson {

namespace {

/// True if a handle owns the agent too.
bool is_held(const std::shared_ptr<mock_agent>& agent) { return agent.use_count() > 1; }

}    // namespace

mock_runtime::mock_runtime(io_executor executor, timers& time, logger& log)
    : executor_(executor), time_(time), log_(log), capabilities_{.name = "mock", .available = true, .execution_usage = true, .pauses = true}
{
    capabilities_.degraded.push_back({"everything", "programs are scripts; nothing runs", "use another runtime for real programs"});
}

task<> mock_runtime::probe() { co_return; }

task<result<std::unique_ptr<sandbox>>> mock_runtime::create(sandbox_spec spec)
{
    if (const auto failure = std::exchange(create_failure_, std::nullopt))
        co_return *failure;
    auto agent = std::make_shared<mock_agent>(executor_, time_, log_);
    agents_->insert_or_assign(spec.id, agent);
    std::erase_if(asked_, [this](const auto& each) { return !agents_->contains(each.first); });
    asked_.insert_or_assign(spec.id, spec);
    co_return std::make_unique<mock_sandbox>(spec.id, std::move(agent), agents_, spec.work_directory);
}

task<result<void>> mock_runtime::start_mock(sandbox* created)
{
    if (const auto failure = std::exchange(start_failure_, std::nullopt))
        co_return *failure;
    static_cast<mock_sandbox*>(created)->set_started();
    co_return result<void>();
}

task<result<std::unique_ptr<sandbox>>> mock_runtime::recover(sandbox_id id, std::string)
{
    const auto found = agents_->find(id);
    if (found == agents_->end() || found->second->dead()) {
        agents_->erase(id);
        co_return error{errc::gone, "the sandbox's agent does not run any more"};
    }
    const auto* spec = asked(id);
    auto recovered = std::make_unique<mock_sandbox>(id, found->second, agents_, spec == nullptr ? "/workspace" : spec->work_directory);
    recovered->set_started();
    co_return std::unique_ptr<sandbox>(std::move(recovered));
}

task<result<std::vector<sandbox_id>>> mock_runtime::left_overs()
{
    std::vector<sandbox_id> found;
    for (const auto& [id, agent] : *agents_) {
        if (!is_held(agent))
            found.push_back(id);
    }
    co_return found;
}

task<result<void>> mock_runtime::remove_left_over(sandbox_id id, std::string)
{
    const auto found = agents_->find(id);
    if (found == agents_->end())
        co_return result<void>();
    if (is_held(found->second))
        co_return error{errc::conflict, "the sandbox is in use"};
    const auto agent = std::move(found->second);
    agents_->erase(found);
    co_await agent->stop();
    co_return result<void>();
}

const sandbox_spec* mock_runtime::asked(const sandbox_id& id) const
{
    const auto found = asked_.find(id);
    return found == asked_.end() || !agents_->contains(id) ? nullptr : &found->second;
}

bool mock_runtime::kill_agent(const sandbox_id& id)
{
    const auto found = agents_->find(id);
    if (found == agents_->end())
        return false;
    found->second->die("the agent was killed by signal 9");
    return true;
}

}    // namespace caisson

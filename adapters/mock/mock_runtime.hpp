#pragma once

#include "adapters/mock/mock_agent.hpp"
#include "core/runtime/ports.hpp"

#include <map>
#include <memory>
#include <optional>

namespace caisson {

/// A runtime without processes, for tests of what is built on the server: programs are scripts (mock_script.hpp), the link
/// is the real one. Never a default or a fallback. Its sandboxes live as long as this object, also when their handles go.
class mock_runtime : public runtime {
public:
    /// `time` and `log` outlive it.
    mock_runtime(io_executor executor, timers& time, logger& log);

    std::string_view name() const override { return "mock"; }
    bool isolates() const override { return false; }
    const runtime_capabilities& capabilities() const override { return capabilities_; }
    task<> probe() override;
    task<result<std::unique_ptr<sandbox>>> create(sandbox_spec spec) override;
    task<result<void>> start(sandbox& created) override { return start_mock(&created); }
    task<result<std::unique_ptr<sandbox>>> recover(sandbox_id id, std::string runtime_state) override;
    task<result<std::vector<sandbox_id>>> left_overs() override;
    task<result<void>> remove_left_over(sandbox_id id, std::string runtime_state) override;

    /// The next create() or start() fails with it.
    void fail_next_create(error why) { create_failure_ = std::move(why); }
    void fail_next_start(error why) { start_failure_ = std::move(why); }
    /// As if the sandbox's agent were killed. False if there is no such sandbox.
    bool kill_agent(const sandbox_id& id);
    /// What a sandbox was asked to show, while it lives.
    const sandbox_spec* asked(const sandbox_id& id) const;

private:
    task<result<void>> start_mock(sandbox* created);

    using agent_map = std::map<sandbox_id, std::shared_ptr<mock_agent>>;

    io_executor executor_;
    timers& time_;
    logger& log_;
    runtime_capabilities capabilities_;
    std::map<sandbox_id, sandbox_spec> asked_;    // of those that were made here; an ended one's goes with the next one's begin
    std::shared_ptr<agent_map> agents_ = std::make_shared<agent_map>();
    std::optional<error> create_failure_;
    std::optional<error> start_failure_;
};

}    // namespace caisson

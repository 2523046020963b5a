#pragma once

#include "adapters/mock/mock_agent.hpp"
#include "core/runtime/ports.hpp"

#include <map>
#include <memory>
#include <optional>

namespace caisson {

/// A runtime without processes, for tests of code based on the server: programs are scripts (mock_script.hpp), the link is real. Never a
/// default or a fallback. Its sandboxes live as long as this object, even without handles.
class mock_runtime : public runtime {
public:
    /// `time` and `log` outlive the runtime.
    mock_runtime(io_executor executor, timers& time, logger& log);

    std::string_view name() const override { return "mock"; }
    runtime_traits traits() const override { return {.isolates = false, .protects_agent = false}; }
    const runtime_capabilities& capabilities() const override { return capabilities_; }
    task<> probe() override;
    task<result<std::unique_ptr<sandbox>>> create(sandbox_spec spec) override;
    task<result<void>> start(sandbox& created) override { return start_mock(&created); }
    task<result<std::unique_ptr<sandbox>>> recover(sandbox_id id, std::string runtime_state) override;
    task<result<std::vector<sandbox_id>>> left_overs() override;
    task<result<void>> remove_left_over(sandbox_id id, std::string runtime_state) override;

    /// The next create() or start() fails with `why`.
    void fail_next_create(error why) { create_failure_ = std::move(why); }
    void fail_next_start(error why) { start_failure_ = std::move(why); }
    /// Acts as if the sandbox's agent were killed. False if there is no such sandbox.
    bool kill_agent(const sandbox_id& id);
    /// The spec with which a sandbox was created, while it lives.
    const sandbox_spec* asked(const sandbox_id& id) const;

private:
    task<result<void>> start_mock(sandbox* created);

    using agent_map = std::map<sandbox_id, std::shared_ptr<mock_agent>>;

    io_executor executor_;
    timers& time_;
    logger& log_;
    runtime_capabilities capabilities_;
    std::map<sandbox_id, sandbox_spec> asked_;    // by sandbox made here; create() erases those of ended ones
    std::shared_ptr<agent_map> agents_ = std::make_shared<agent_map>();
    std::optional<error> create_failure_;
    std::optional<error> start_failure_;
};

}    // namespace caisson

#pragma once

#include "adapters/containers/container_watch.hpp"
#include "core/runtime/ports.hpp"

namespace caisson {

/// The group of an execution that has the whole container. Usage includes the agent; the limits are the container's. The agent kills
/// the programs, since it must report their ends: kill() only requests a thaw so that it can.
class engine_execution_group : public execution_group {
public:
    explicit engine_execution_group(std::shared_ptr<docker::watched_container> whole) : whole_(std::move(whole)) { }

    std::vector<int> join_descriptors() const override { return {}; }
    group_usage usage() const override;
    void kill() noexcept override;
    bool kills_by_itself() const override { return false; }
    std::size_t population() const override { return 0; }
    task<result<void>> remove() override { co_return result<void>(); }

private:
    std::shared_ptr<docker::watched_container> whole_;
};

}    // namespace caisson

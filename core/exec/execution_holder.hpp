#pragma once

#include "core/exec/ports.hpp"
#include "core/sandbox/ports.hpp"

namespace caisson {

/// Executions as holders of sandboxes: each needs its own until its end is recorded.
class execution_holder : public sandbox_holder {
public:
    /// `store` outlives it.
    explicit execution_holder(execution_store& store) : store_(store) { }

    task<result<std::vector<sandbox_id>>> sandboxes_held() override { return store_.sandboxes_in_use(); }

private:
    execution_store& store_;
};

}    // namespace caisson

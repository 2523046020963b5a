#pragma once

#include "core/base/ids.hpp"

#include <memory>
#include <set>

namespace caisson {

/// Marks a sandbox as being swept, for the mark's lifetime.
class sweep_mark {
public:
    sweep_mark(std::shared_ptr<std::set<sandbox_id>> swept, sandbox_id id) : swept_(std::move(swept)), id_(std::move(id))
    {
        swept_->insert(id_);
    }
    ~sweep_mark() { swept_->erase(id_); }
    sweep_mark(const sweep_mark&) = delete;
    sweep_mark& operator=(const sweep_mark&) = delete;

private:
    std::shared_ptr<std::set<sandbox_id>> swept_;
    sandbox_id id_;
};

}    // namespace caisson

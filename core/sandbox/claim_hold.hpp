#pragma once

#include "core/async/notifier.hpp"

#include <memory>
#include <utility>

namespace caisson {

/// While it lives, the pool keeps its watch over a claimed sandbox and does not yet look for what to make in its place, since both would
/// delay the start of the program. Destroy it when the program runs, or has ended.
class claim_hold {
public:
    explicit claim_hold(std::shared_ptr<notifier> let_go) : let_go_(std::move(let_go)) { }
    ~claim_hold() { let_go_->notify_all(); }
    claim_hold(const claim_hold&) = delete;
    claim_hold& operator=(const claim_hold&) = delete;

private:
    std::shared_ptr<notifier> let_go_;
};

}    // namespace caisson

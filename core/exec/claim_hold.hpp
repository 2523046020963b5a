#pragma once

#include "core/async/notifier.hpp"

#include <memory>
#include <utility>

namespace caisson {

/// While it lives the pool goes on watching over a sandbox that was claimed, and puts off looking what to make in its place: both would
/// hold up the program that is being started. Let go of it when that runs, or has ended.
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

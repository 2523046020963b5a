#include "core/exec/admission.hpp"

#include <algorithm>

namespace caisson {

void admission::enter(std::shared_ptr<live_execution> one)
{
    waiting_.push_back(std::move(one));
    grant();
}

void admission::enter_running(live_execution& one)
{
    ++running_;
    one.admitted = true;
}

void admission::leave(live_execution& one)
{
    if (one.admitted) {
        one.admitted = false;
        --running_;
    } else {
        std::erase_if(waiting_, [&one](const auto& each) { return each.get() == &one; });
    }
    grant();
}

void admission::grant()
{
    while (!closed_ && running_ < most_running_ && !waiting_.empty()) {
        const auto next = std::move(waiting_.front());
        waiting_.pop_front();
        ++running_;
        next->admitted = true;
        next->wake();
    }
}

}    // namespace caisson

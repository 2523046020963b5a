#pragma once

#include "core/exec/live_execution.hpp"

#include <deque>
#include <memory>

namespace caisson {

/// Lets at most so many executions run at once; the others wait in the order in which they came. I/O thread only.
class admission {
public:
    admission(std::size_t most_running, std::size_t most_waiting) : most_running_(most_running), most_waiting_(most_waiting) { }

    bool full() const { return waiting_.size() >= most_waiting_; }
    std::size_t running() const { return running_; }
    std::size_t waiting() const { return waiting_.size(); }

    /// Queues `one`; sets one->admitted and wakes it when it may run, at once if there is room.
    void enter(std::shared_ptr<live_execution> one);
    /// Admits `one` whatever the bound: it runs already (found again after a restart).
    void enter_running(live_execution& one);
    /// Gives the place back, or leaves the queue.
    void leave(live_execution& one);
    /// Admits nobody any more.
    void close() { closed_ = true; }

private:
    void grant();

    std::size_t most_running_;
    std::size_t most_waiting_;
    std::size_t running_ = 0;
    bool closed_ = false;
    std::deque<std::shared_ptr<live_execution>> waiting_;
};

}    // namespace caisson

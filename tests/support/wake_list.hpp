#pragma once

#include "core/async/notifier.hpp"

#include <boost/asio/this_coro.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace caisson::testing {

/// Wakes coroutines of any io_context; unlike a notifier it may outlive the contexts of those that wait. One thread.
class wake_list {
public:
    /// Returns at the next wake_all(). Cancellation makes it throw operation_aborted.
    task<> wait()
    {
        const auto executor = co_await asio::this_coro::executor;
        auto mine = std::make_shared<notifier>(executor);
        waiting_.push_back(mine);
        co_await mine->wait_past(0);
    }
    void wake_all()
    {
        for (const auto& each : std::exchange(waiting_, {}))
            if (const auto alive = each.lock())
                alive->notify_all();
    }

private:
    std::vector<std::weak_ptr<notifier>> waiting_;
};

/// Holds back whoever passes while it is corked.
class gate {
public:
    void cork() { corked_ = true; }
    void uncork()
    {
        corked_ = false;
        open_.wake_all();
    }
    /// How many came and have not passed.
    std::size_t held() const { return held_.use_count() - 1; }
    task<> pass()
    {
        const auto inside = held_;    // frames may be destroyed where they wait
        while (corked_)
            co_await open_.wait();
    }

private:
    bool corked_ = false;
    wake_list open_;
    std::shared_ptr<int> held_ = std::make_shared<int>();
};

}    // namespace caisson::testing

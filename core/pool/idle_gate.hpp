#pragma once

#include "core/async/notifier.hpp"
#include "core/async/timers.hpp"

#include <array>
#include <list>
#include <memory>

namespace caisson {

/// Tells work that can wait (making what is kept ready, preparing what every sandbox needs, removing what is used up) when no request needs
/// the processors. I/O thread only; waiters must end before it.
class idle_gate {
public:
    /// `time` outlives it.
    idle_gate(io_executor executor, timers& time)
        : executor_(executor), time_(time), hurried_{notifier(executor), notifier(executor), notifier(executor)}
    {
    }

    enum class work { making, removing, preparing };

    /// Something that a client waits for begins or goes on.
    void note_activity() { last_ = time_.steady_now(); }
    /// Work that clients wait for, counted by its owner with a count_guard. While it is not 0 there is activity.
    std::size_t& busy() { return busy_; }
    /// Collections of files, counted likewise: they keep all processors at work for long.
    std::size_t& collecting() { return collecting_; }
    bool is_collecting() const { return collecting_ > 0; }
    /// Ends all waits of that work, because its outcome is needed now.
    void release_waiters(work what);
    /// Ends all waits, of later callers too.
    void close();
    /// Returns after some milliseconds without activity, at release_waiters(), or after `longest`.
    task<> wait(work what, std::chrono::milliseconds longest);

private:
    class place;

    notifier& hurried_by(work what) { return hurried_[static_cast<std::size_t>(what)]; }

    io_executor executor_;
    timers& time_;
    std::array<notifier, 3> hurried_;
    std::shared_ptr<std::list<place*>> line_ = std::make_shared<std::list<place*>>();    // waits of work::removing, by their deadlines
    steady_time last_{};
    std::size_t busy_ = 0;
    std::size_t collecting_ = 0;
    bool closed_ = false;
};

}    // namespace caisson

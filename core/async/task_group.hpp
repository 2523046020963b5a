#pragma once

#include "core/async/task.hpp"
#include "core/base/log.hpp"

#include <memory>
#include <string>

namespace caisson {

/// Owns coroutines that run in the background. Nothing is detached: stop() cancels what runs and waits for its end.
/// An exception that leaves a task is logged with the task's name; the others go on. I/O thread only.
class task_group {
public:
    /// `log` must outlive the group.
    task_group(io_executor executor, logger& log);
    /// On the loop's thread cancels the tasks that still run, without waiting; elsewhere not even that. Call stop() before.
    ~task_group();
    task_group(const task_group&) = delete;
    task_group& operator=(const task_group&) = delete;

    /// Starts `work` before it returns to the event loop. After stop() began, `work` is destroyed unstarted.
    void spawn(std::string name, task<> work);

    /// Sends terminal cancellation to all tasks and returns when none runs. May be called again. Do not call from a task of the group.
    task<> stop();

    /// Returns when no task runs, without cancelling any.
    task<> wait_idle();

    std::size_t size() const;

private:
    struct state;
    enum class ending { natural, cancelled };
    static task<> wait_for_none(std::shared_ptr<state> shared, ending how);
    std::shared_ptr<state> state_;
};

}    // namespace caisson

#include "core/async/task_group.hpp"

#include "core/async/notifier.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include <list>
#include <vector>

namespace caisson {

namespace {

struct entry {
    std::string name;
    asio::cancellation_signal cancel;
};

bool was_cancelled(const std::exception_ptr& failure)
{
    try {
        std::rethrow_exception(failure);
    } catch (const boost::system::system_error& e) {
        return e.code() == asio::error::operation_aborted;
    } catch (...) {
        return false;
    }
}

std::string what(const std::exception_ptr& failure)
{
    try {
        std::rethrow_exception(failure);
    } catch (const std::exception& e) {
        return e.what();
    } catch (...) {
        return "unknown exception";
    }
}

}    // namespace

struct task_group::state {
    state(io_executor the_executor, logger& the_log) : executor(the_executor), log(the_log), changed(the_executor) { }
    io_executor executor;
    logger& log;
    std::list<std::shared_ptr<entry>> running;
    notifier changed;
    bool stopping = false;

    void cancel_all()
    {
        stopping = true;
        // A copy: a task that ends at once removes itself from the list.
        const std::vector<std::shared_ptr<entry>> now(running.begin(), running.end());
        for (const auto& each : now)
            each->cancel.emit(asio::cancellation_type::terminal);
    }
};

task_group::task_group(io_executor executor, logger& log) : state_(std::make_shared<state>(executor, log)) { }

task_group::~task_group()
{
    // Outside the loop co_spawn would post the cancellation, and it might run after its task is gone.
    if (state_->executor.running_in_this_thread())
        state_->cancel_all();
    state_->stopping = true;
}

void task_group::spawn(std::string name, task<> work)
{
    if (state_->stopping)
        return;
    auto mine = std::make_shared<entry>();
    mine->name = std::move(name);
    const auto place = state_->running.insert(state_->running.end(), mine);
    auto done = [shared = state_, mine, place](const std::exception_ptr& failure) {
        if (failure && !(shared->stopping && was_cancelled(failure)))
            shared->log.error("a background task failed", {{"task", mine->name}, {"what", what(failure)}});
        shared->running.erase(place);
        shared->changed.notify_all();
    };
    asio::co_spawn(state_->executor, std::move(work), asio::bind_cancellation_slot(mine->cancel.slot(), std::move(done)));
}

task<> task_group::stop() { return wait_for_none(state_, ending::cancelled); }

task<> task_group::wait_idle() { return wait_for_none(state_, ending::natural); }

/// A coroutine, so that cancel_all() runs inside the loop: see the destructor.
task<> task_group::wait_for_none(std::shared_ptr<state> shared, ending how)
{
    if (how == ending::cancelled)
        shared->cancel_all();
    while (!shared->running.empty()) {
        const auto seen = shared->changed.version();
        co_await shared->changed.wait_past(seen);
    }
}

std::size_t task_group::size() const { return state_->running.size(); }

}    // namespace caisson

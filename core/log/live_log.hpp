#pragma once

#include "core/async/notifier.hpp"
#include "core/async/timers.hpp"
#include "core/base/log.hpp"
#include "core/log/log_buffer.hpp"

#include <functional>

namespace caisson {

/// The log of one running execution: receives events, stores them in batches, wakes viewers. Shared by the execution and its
/// viewers; I/O thread only. Stores only while run() is running.
class live_log {
public:
    /// `store`, `time` and `log` must outlive the live_log.
    live_log(io_executor executor, execution_id id, event_store& store, timers& time, logger& log, log_options options, log_extent stored);

    const execution_id& id() const { return id_; }
    const log_buffer& buffer() const { return buffer_; }

    void output(output_stream stream, std::uint64_t offset, shared_bytes bytes);
    void gap(output_stream stream, std::uint64_t missing);
    void control(event_kind kind, std::string body);
    void end(output_stream stream);
    /// See log_buffer::end_attempt().
    void end_attempt();

    /// Sets the callback after each commit, which acknowledges output to the agent. One at most; empty removes it.
    void on_commit(std::function<void()> callback) { committed_ = std::move(callback); }

    /// Stores events until cancelled. Retries a failing store with pauses of at most 1 s and drops nothing: the program blocks once the
    /// agent's window is full. The first batch waits for `patience`, for more events than take_whole() takes, for follow() or for
    /// flushed(), whichever comes first.
    task<> run(std::chrono::milliseconds patience = std::chrono::milliseconds(0));
    /// Why the store refused events for good; empty if it did not. Later events are still shown, and stored as far as possible.
    const std::string& failure() const { return failure_; }
    /// Returns once all events received so far are durable. run() must be running.
    task<> flushed();
    /// A viewer follows the log: ends the `patience` of run(), since viewers see control events only once they are durable.
    void follow() { wanted_.notify_all(); }

    /// All events, if none was stored and they are few and small. The caller stores them and then calls stored_whole(). Until then no
    /// event may be added, and run() stores nothing.
    std::optional<event_list> take_whole();
    void stored_whole();
    /// Whether take_whole() would return the log even with two more events, usage and exit.
    bool may_be_taken_whole() const;

    /// Hides the exit event from viewers until publish_exit(): a viewer who sees it must find the record ended.
    void withhold_exit() { exit_withheld_ = true; }
    void publish_exit();
    /// Viewers may read entries below this number; see log_buffer.
    std::uint64_t visible_end() const;

    /// Notified when an entry became visible.
    notifier& changed() { return changed_; }

private:
    task<> store_pending();
    void all_stored();
    task<wait_end> wait_for_work();

    execution_id id_;
    event_store& store_;
    timers& time_;
    logger& log_;
    log_buffer buffer_;
    notifier work_;      // events to store, or bytes held back
    notifier wanted_;    // a follower, or a caller of flushed(), waits for storage
    notifier changed_;
    std::function<void()> committed_;
    std::string failure_;
    bool exit_withheld_ = false;
    bool taken_whole_ = false;
};

}    // namespace caisson

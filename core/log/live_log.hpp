#pragma once

#include "core/async/notifier.hpp"
#include "core/async/timers.hpp"
#include "core/base/log.hpp"
#include "core/log/log_buffer.hpp"

#include <functional>

namespace caisson {

/// The log of one execution that has not ended: takes events in, stores them in batches, wakes viewers. I/O thread only;
/// shared by the execution and its viewers. run() must be running for anything to be stored.
class live_log {
public:
    /// `store`, `time` and `log` outlive it.
    live_log(io_executor executor, execution_id id, event_store& store, timers& time, logger& log, log_options options, log_extent stored);

    const execution_id& id() const { return id_; }
    const log_buffer& buffer() const { return buffer_; }

    void output(output_stream stream, std::uint64_t offset, shared_bytes bytes);
    void gap(output_stream stream, std::uint64_t missing);
    void control(event_kind kind, std::string body);
    void end(output_stream stream);
    /// An attempt is over: see log_buffer.
    void end_attempt();

    /// What is called after each commit, to acknowledge. At most one; empty to stop.
    void on_commit(std::function<void()> callback) { committed_ = std::move(callback); }

    /// Stores what comes until it is cancelled. A failing store is tried again, at most a second apart: nothing is dropped,
    /// the program blocks when the agent's window is full.
    /// What comes first is stored after `patience`, or when it is much, or somebody follows the log or waits for flushed().
    task<> run(std::chrono::milliseconds patience = std::chrono::milliseconds(0));
    /// Why something could not be stored and never can be; empty while all is well. What comes after it is shown, and stored as far
    /// as it can be.
    const std::string& failure() const { return failure_; }
    /// Returns when all that came so far is durable. run() must be running.
    task<> flushed();
    /// Somebody follows the log: what comes is stored without patience, since control events are shown when they are durable.
    void follow() { wanted_.notify_all(); }

    /// All that came, if nothing of it was stored and it is little: who takes it stores it, and says then stored_whole(). Nothing else may
    /// come, and nothing is stored here meanwhile.
    std::optional<event_list> take_whole();
    void stored_whole();
    /// Whether take_whole() would give it all, and will with the two events that tell of the end.
    bool may_be_taken_whole() const;

    /// Keeps the exit event from viewers until the record is final too, so that who sees it finds the record ended.
    void withhold_exit() { exit_withheld_ = true; }
    void publish_exit();
    /// Numbers up to which viewers may read; see log_buffer.
    std::uint64_t visible_end() const;

    /// Wakes when something became visible.
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
    notifier work_;      // something to store, or held back
    notifier wanted_;    // somebody waits for what is to be stored
    notifier changed_;
    std::function<void()> committed_;
    std::string failure_;
    bool exit_withheld_ = false;
    bool taken_whole_ = false;
};

}    // namespace caisson

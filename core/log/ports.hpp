#pragma once

#include "core/async/task.hpp"
#include "core/base/error.hpp"
#include "core/log/events.hpp"

#include <memory>
#include <vector>

namespace caisson {

using event_list = std::vector<std::shared_ptr<const log_event>>;

/// The offset at which a stream's stored head ended because max_output_bytes was reached.
struct stream_cut {
    output_stream stream = output_stream::stdout_stream;
    std::uint64_t offset = 0;
};

/// The state of a stored log, for recovery.
struct log_extent {
    log_position end;                // after the last stored event
    std::vector<stream_cut> cuts;    // at most one per stream
    std::uint64_t stored_output_bytes = 0;
    std::uint64_t stored_bytes = 0;    // sum of log_event::stored_bytes()
    bool has_exit = false;
    bool stdout_truncated = false;    // bytes of the stream are missing
    bool stderr_truncated = false;
};

/// The append-only events of executions. Call from the I/O thread; the work runs on the store's own database threads. Appends of
/// different executions share transactions.
class event_store {
public:
    virtual ~event_store() = default;

    /// Appends the events in order, and the cuts. Atomic; durable on return. Ignores an event that is already stored (same end position).
    virtual task<result<void>> append(execution_id id, event_list events, std::vector<stream_cut> cuts) = 0;
    /// Events that `after` does not cover, in log order, up to `max_bytes` of output but at least one if any exists. Events are not
    /// split: the first may begin before `after`.
    virtual task<result<event_list>> read(execution_id id, log_position after, std::size_t max_bytes) = 0;
    virtual task<result<log_extent>> extent(execution_id id) = 0;
    /// Removes all events except those stored in the execution's record; the record's deletion removes them. Idempotent.
    virtual task<result<void>> erase(execution_id id) = 0;
};

}    // namespace caisson

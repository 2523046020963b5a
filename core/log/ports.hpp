#pragma once

#include "core/async/task.hpp"
#include "core/base/error.hpp"
#include "core/log/events.hpp"

#include <memory>
#include <vector>

namespace caisson {

using event_list = std::vector<std::shared_ptr<const log_event>>;

/// Where one stream's kept head ended because max_output_bytes was reached.
struct stream_cut {
    output_stream stream = output_stream::stdout_stream;
    std::uint64_t offset = 0;
};

/// What recovery needs to know of a log.
struct log_extent {
    log_position end;                // after the last stored event
    std::vector<stream_cut> cuts;    // at most one per stream
    std::uint64_t stored_output_bytes = 0;
    std::uint64_t stored_bytes = 0;    // what all events take, about: see log_event
    bool has_exit = false;
    bool stdout_truncated = false;    // something of the stream is missing
    bool stderr_truncated = false;
};

/// Events of executions, append-only. Call from the I/O thread; the work runs on the store's own database threads. Appends of all
/// executions share transactions.
class event_store {
public:
    virtual ~event_store() = default;

    /// Adds events in order and the cuts, all or nothing, durable on return. A repeat of an event that is stored (same end
    /// position) is ignored.
    virtual task<result<void>> append(execution_id id, event_list events, std::vector<stream_cut> cuts) = 0;
    /// In log order, those not covered by `after`, up to `max_bytes` of output (at least one event if there is one). Chunks
    /// are whole: the caller drops what it has of the first.
    virtual task<result<event_list>> read(execution_id id, log_position after, std::size_t max_bytes) = 0;
    virtual task<result<log_extent>> extent(execution_id id) = 0;
    /// Removes all events but those that were stored with a record, which go with it. Idempotent.
    virtual task<result<void>> erase(execution_id id) = 0;
};

}    // namespace caisson

#pragma once

#include "core/log/live_log.hpp"

#include <memory>
#include <vector>

namespace caisson {

/// One event for one viewer.
struct viewed_event {
    std::shared_ptr<const log_event> event;
    std::size_t skip = 0;    // output: bytes at the front of event->data that the viewer has seen
    log_position seen;       // the viewer's position after the event, for its cursor
};

/// Reads one log for one viewer: stored events, then live ones. Each byte once, in order. A viewer that is too slow for bytes that
/// are never stored gets a notice of how many it missed. I/O thread only.
class log_reader {
public:
    /// `live` is empty for an execution that has ended. `store` must outlive the reader.
    log_reader(execution_id id, event_store& store, std::shared_ptr<live_log> live, log_position after);

    /// The next events, with about `max_bytes` of output at most; waits for at least one if `follow`. Empty at the end of the log (after
    /// the exit event), or if `follow` is false and none is available. Errors: those of the store.
    task<result<std::vector<viewed_event>>> next(std::size_t max_bytes, bool follow);

    const log_position& position() const { return seen_; }
    /// True once the exit event was returned, or if no event was ever returned: nothing follows. A log erased meanwhile ends without
    /// an exit event.
    bool at_end() const { return done_ || !gave_; }

private:
    void view(std::shared_ptr<const log_event> event, std::vector<viewed_event>& out);
    std::vector<viewed_event> from_ring(std::size_t max_bytes);
    task<result<std::vector<viewed_event>>> from_store(std::size_t max_bytes);
    std::vector<viewed_event> jump_to(const log_position& start);
    viewed_event notice_up_to(output_stream stream, std::uint64_t offset);
    bool is_at(const log_position& start) const;

    execution_id id_;
    event_store& store_;
    std::shared_ptr<live_log> live_;
    log_position seen_;
    std::uint64_t next_number_ = 0;
    bool done_ = false;
    bool gave_ = false;
};

}    // namespace caisson

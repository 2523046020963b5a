#pragma once

#include "core/log/ports.hpp"

#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace caisson {

/// How much of a log is stored, and how much stays in memory.
struct log_options {
    std::uint64_t max_output_bytes = 16 << 20;    // stored head of both streams together
    std::uint64_t tail_bytes = 256 << 10;         // stored tail of each stream that was cut
    std::size_t ring_bytes = 1 << 20;             // stored events kept in memory for viewers; unstored events always stay
};

/// The log of one running execution, without I/O. Decides what viewers see, what is stored or cut, and what the agent may drop.
/// Viewers see bytes past the head; the store gets only the stream's tail, at its end.
class log_buffer {
public:
    using event_ptr = std::shared_ptr<const log_event>;

    /// `stored` describes what an earlier server stored of this log; empty for a new log.
    explicit log_buffer(log_options options, log_extent stored = {});

    // Input. The offsets of a stream are contiguous, except at gap().
    void output(output_stream stream, std::uint64_t offset, shared_bytes bytes, std::int64_t at_ms);
    /// Bytes of the stream that are lost.
    void gap(output_stream stream, std::uint64_t missing, std::int64_t at_ms);
    /// Adds a control event; viewers see it once it is stored. `body` is a JSON object.
    void control(event_kind kind, std::string body, std::int64_t at_ms);
    /// Ends the stream: its held bytes, the notice of a cut and its tail become events. Idempotent.
    void end(output_stream stream, std::int64_t at_ms);
    /// Ends an attempt: like end() for both streams, but more output may follow. A later server then misses nothing of the attempt.
    void end_attempt(std::int64_t at_ms);
    /// Turns bytes of an incomplete UTF-8 character, held back for its rest, into events.
    void release_held(std::int64_t at_ms);
    bool holds_back() const;

    // Storage.
    struct batch {
        event_list events;
        std::vector<stream_cut> cuts;
        bool empty() const { return events.empty() && cuts.empty(); }
    };
    /// All events and cuts not taken yet; small consecutive pieces of a stream are merged into one event. Call stored() once the batch
    /// is durable, before the next take().
    batch take();
    void stored();
    bool has_unstored() const { return taken_ > 0 || next_to_take_ < unstored_.size() || !cuts_to_store_.empty() || cuts_taken_ > 0; }

    /// Bytes of output not stored yet.
    std::size_t unstored_bytes() const;
    /// Whether the whole log is still here, within these bounds: nothing was taken and no stream was cut.
    bool is_whole(std::size_t most_events, std::size_t most_bytes) const;

    /// The agent may drop the stream's bytes before this offset.
    std::uint64_t acknowledgeable(output_stream stream) const;

    // Viewers: entries by consecutive number, in [first_number(), end_number()).
    std::uint64_t first_number() const { return first_number_; }
    std::uint64_t end_number() const { return first_number_ + visible_; }
    const event_ptr& entry(std::uint64_t number) const { return ring_[number - first_number_].event; }
    /// The position before the first entry. A viewer before it must read the store first.
    const log_position& ring_start() const { return ring_start_; }

    bool was_cut(output_stream stream) const { return state_of(stream).cut.has_value(); }
    bool truncated(output_stream stream) const { return state_of(stream).truncated; }
    bool ended(output_stream stream) const { return state_of(stream).ended; }
    std::uint64_t received(output_stream stream) const { return state_of(stream).received; }
    const log_position& stored_position() const { return stored_end_; }
    /// Estimated bytes in the store of all events stored or taken.
    std::uint64_t stored_bytes() const { return stored_bytes_; }

private:
    struct stream_state {
        std::uint64_t received = 0;          // end of the received bytes, including held ones
        std::string held;                    // an incomplete UTF-8 character
        std::uint64_t committed = 0;         // end of the stored head
        std::optional<std::uint64_t> cut;    // where the head ended
        bool cut_stored = false;
        std::deque<shared_bytes> tail;    // the newest bytes behind the cut
        std::uint64_t tail_size = 0;
        bool truncated = false;
        bool ended = false;
    };
    struct ring_entry {
        event_ptr event;
        bool stored = true;    // durable, or not meant for storage
    };

    stream_state& state_of(output_stream stream) { return streams_[stream == output_stream::stdout_stream ? 0 : 1]; }
    const stream_state& state_of(output_stream stream) const { return streams_[stream == output_stream::stdout_stream ? 0 : 1]; }
    void chunk(output_stream stream, shared_bytes bytes, std::int64_t at_ms);
    void cut_here(output_stream stream);
    void store_chunk(output_stream stream, shared_bytes bytes, std::int64_t at_ms);
    void show_chunk(output_stream stream, shared_bytes bytes, std::int64_t at_ms);
    void keep_tail(output_stream stream, shared_bytes bytes);
    void store_tail(output_stream stream, std::int64_t at_ms);
    void store_truncation(output_stream stream, std::uint64_t missing, std::int64_t at_ms);
    void add(log_event event, bool to_store);
    std::size_t end_of_row(std::size_t begin) const;
    event_ptr as_one(std::size_t begin, std::size_t end) const;
    void settle();

    log_options options_;
    std::array<stream_state, 2> streams_;
    log_position shown_;         // live position, including bytes never stored
    log_position stored_end_;    // position after the last event meant for storage
    std::uint64_t head_bytes_ = 0;
    std::uint64_t stored_bytes_ = 0;
    std::deque<ring_entry> ring_;
    std::uint64_t first_number_ = 0;
    std::size_t visible_ = 0;
    std::size_t ring_size_ = 0;
    log_position ring_start_;
    std::vector<std::pair<std::uint64_t, event_ptr>> unstored_;    // entry number, event
    std::size_t next_to_take_ = 0;
    std::size_t taken_ = 0;
    std::vector<stream_cut> cuts_to_store_;
    std::size_t cuts_taken_ = 0;
    bool has_begin_;    // unstored_ holds the log from its beginning: nothing was taken
};

}    // namespace caisson

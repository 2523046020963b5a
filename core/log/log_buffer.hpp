#pragma once

#include "core/log/ports.hpp"

#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace caisson {

/// How much of a log is kept, and where.
struct log_options {
    std::uint64_t max_output_bytes = 16 << 20;    // of both streams together: the head that is stored
    std::uint64_t tail_bytes = 256 << 10;         // the newest bytes of each stream, stored behind a cut
    std::size_t ring_bytes = 1 << 20;             // what is kept in memory for viewers besides what is not stored yet
};

/// The log of one execution that has not ended, without I/O: decides what is shown, what is stored and what is cut, and
/// what the agent may drop. Bytes past the head are shown but not stored; at a stream's end its tail is.
class log_buffer {
public:
    using event_ptr = std::shared_ptr<const log_event>;

    /// `stored` is what an earlier server stored of this log; default for a new one.
    explicit log_buffer(log_options options, log_extent stored = {});

    // What comes in. Offsets of a stream are contiguous but for gap().
    void output(output_stream stream, std::uint64_t offset, shared_bytes bytes, std::int64_t at_ms);
    /// Bytes that nobody has any more.
    void gap(output_stream stream, std::uint64_t missing, std::int64_t at_ms);
    /// A control event: shown when it is stored. `body` is a JSON object.
    void control(event_kind kind, std::string body, std::int64_t at_ms);
    /// The stream is at its end: its held bytes, the notice of a cut and its tail become events. Idempotent.
    void end(output_stream stream, std::int64_t at_ms);
    /// As end() of both streams, but more may come behind: an attempt is over, and who takes the log up later lacks nothing of it.
    void end_attempt(std::int64_t at_ms);
    /// Bytes held back for the rest of a character become events as they are.
    void release_held(std::int64_t at_ms);
    bool holds_back() const;

    // What is to be stored.
    struct batch {
        event_list events;
        std::vector<stream_cut> cuts;
        bool empty() const { return events.empty() && cuts.empty(); }
    };
    /// Everything not taken yet; little pieces of a stream that came together are one event. Call stored() when it is durable, before the
    /// next take().
    batch take();
    void stored();
    bool has_unstored() const { return taken_ > 0 || next_to_take_ < unstored_.size() || !cuts_to_store_.empty() || cuts_taken_ > 0; }

    /// Of output that is not stored yet.
    std::size_t unstored_bytes() const;
    /// Whether nothing was taken so far and all that came is at most so much, no stream cut.
    bool is_whole(std::size_t most_events, std::size_t most_bytes) const;

    /// The agent may drop what lies before this.
    std::uint64_t acknowledgeable(output_stream stream) const;

    // What viewers see: entries by a running number, from first_number() up to end_number().
    std::uint64_t first_number() const { return first_number_; }
    std::uint64_t end_number() const { return first_number_ + visible_; }
    const event_ptr& entry(std::uint64_t number) const { return ring_[number - first_number_].event; }
    /// The position before the first entry: a viewer who is not there has to read storage first.
    const log_position& ring_start() const { return ring_start_; }

    bool was_cut(output_stream stream) const { return state_of(stream).cut.has_value(); }
    bool truncated(output_stream stream) const { return state_of(stream).truncated; }
    bool ended(output_stream stream) const { return state_of(stream).ended; }
    std::uint64_t received(output_stream stream) const { return state_of(stream).received; }
    const log_position& stored_position() const { return stored_end_; }
    /// What all that was stored or taken takes, about.
    std::uint64_t stored_bytes() const { return stored_bytes_; }

private:
    struct stream_state {
        std::uint64_t received = 0;          // end of what came, held bytes included
        std::string held;                    // the begin of a character
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
        bool stored = true;    // durable, or never to be
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
    log_position shown_;         // live position, with bytes that are not stored
    log_position stored_end_;    // position after the last event made for storage
    std::uint64_t head_bytes_ = 0;
    std::uint64_t stored_bytes_ = 0;
    std::deque<ring_entry> ring_;
    std::uint64_t first_number_ = 0;
    std::size_t visible_ = 0;
    std::size_t ring_size_ = 0;
    log_position ring_start_;
    std::vector<std::pair<std::uint64_t, event_ptr>> unstored_;    // with the ring's number
    std::size_t next_to_take_ = 0;
    std::size_t taken_ = 0;
    std::vector<stream_cut> cuts_to_store_;
    std::size_t cuts_taken_ = 0;
    bool has_begin_;    // unstored_ does: nothing was taken so far
};

}    // namespace caisson

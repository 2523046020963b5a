#pragma once

#include "core/protocol/byte_ring.hpp"
#include "core/protocol/frame.hpp"

#include <optional>

namespace caisson::protocol {

/// One output stream as the agent keeps it: what the program wrote and the server has not acknowledged, at most 1 MiB.
/// While it is full nothing is read, and the program blocks.
class output_window {
public:
    /// Room to read into; empty at EOF and while the window is full.
    std::span<char> room() { return ended_ ? std::span<char>() : ring_.room(); }
    bool wants_input() const { return !ended_ && ring_.free() > 0; }
    void filled(std::size_t count) { ring_.push(count); }
    void end() { ended_ = true; }

    /// Bytes to send next, contiguous; they begin at next_offset().
    std::string_view unsent(std::size_t max) const { return ring_.peek(cursor_ - base_, max); }
    std::uint64_t next_offset() const { return cursor_; }
    void sent(std::size_t count) { cursor_ += count; }
    /// All bytes were sent, the stream is at its end, and that is not said yet.
    bool eof_due() const { return ended_ && !eof_sent_ && cursor_ == end_offset(); }
    void eof_sent() { eof_sent_ = true; }

    /// Drops what lies before `offset`, as far as it was sent.
    void acknowledge(std::uint64_t offset);
    /// A new connection: the server has what lies before `committed`, everything else is sent again.
    void resume(std::uint64_t committed);
    /// Nobody will ask for the bytes again.
    void discard();
    void rest() { ring_.rest(); }

    std::uint64_t base() const { return base_; }
    std::uint64_t end_offset() const { return base_ + ring_.size(); }
    bool ended() const { return ended_; }

private:
    byte_ring ring_{stream_window_bytes};
    std::uint64_t base_ = 0;
    std::uint64_t cursor_ = 0;
    bool ended_ = false;
    bool eof_sent_ = false;
};

/// A program's stdin as the agent keeps it: counted, each byte once, at most 1 MiB held.
class input_window {
public:
    /// Takes what continues the stream: repeats, what follows a hole and what is past limit() are ignored.
    void receive(std::uint64_t offset, std::string_view bytes);
    /// The stream ends at `end`.
    void receive_end(std::uint64_t end);

    /// Bytes to write to the program next, contiguous.
    std::string_view pending() const { return ring_.peek(0, stream_window_bytes); }
    void delivered(std::size_t count) { ring_.pop(count); }
    /// The program does not read any more: what is held and what still comes counts as taken and is dropped.
    void reader_gone();
    /// Everything was delivered and the end was announced.
    bool finished() const { return end_ && taken_ >= *end_ && ring_.size() == 0; }

    bool end_known() const { return end_.has_value(); }

    std::uint64_t taken() const { return taken_; }
    std::uint64_t limit() const { return taken_ - ring_.size() + stream_window_bytes; }

    /// True if the server should hear of taken() and limit() now.
    bool ack_due() const;
    void ack_sent();
    void rest() { ring_.rest(); }

private:
    byte_ring ring_{stream_window_bytes};
    std::uint64_t taken_ = 0;
    std::optional<std::uint64_t> end_;
    bool gone_ = false;
    std::uint64_t taken_told_ = 0;
    std::uint64_t limit_told_ = stream_window_bytes;
};

}    // namespace caisson::protocol

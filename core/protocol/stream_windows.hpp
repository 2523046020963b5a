#pragma once

#include "core/protocol/byte_ring.hpp"
#include "core/protocol/frame.hpp"

#include <optional>

namespace caisson::protocol {

/// The agent's buffer of one output stream: bytes that the server has not acknowledged, at most 1 MiB. While it is full the agent
/// does not read, and the program blocks.
class output_window {
public:
    /// Space to read into; empty at EOF and while the window is full.
    std::span<char> room() { return ended_ ? std::span<char>() : ring_.room(); }
    bool wants_input() const { return !ended_ && ring_.free() > 0; }
    void filled(std::size_t count) { ring_.push(count); }
    void end() { ended_ = true; }

    /// The next bytes to send, contiguous, beginning at next_offset().
    std::string_view unsent(std::size_t max) const { return ring_.peek(cursor_ - base_, max); }
    std::uint64_t next_offset() const { return cursor_; }
    void sent(std::size_t count) { cursor_ += count; }
    /// The stream has ended and all bytes were sent, but EOF was not.
    bool eof_due() const { return ended_ && !eof_sent_ && cursor_ == end_offset(); }
    void eof_sent() { eof_sent_ = true; }

    /// Drops the sent bytes before `offset`.
    void acknowledge(std::uint64_t offset);
    /// A new connection: drops the bytes before `committed`; all others are sent again.
    void resume(std::uint64_t committed);
    /// Drops all bytes and ends the stream.
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

/// The agent's buffer of a program's stdin: takes each byte once, holds at most 1 MiB.
class input_window {
public:
    /// Takes bytes that continue the stream. Ignores repeated bytes, bytes behind a hole, and bytes past limit().
    void receive(std::uint64_t offset, std::string_view bytes);
    /// The stream ends at `end`.
    void receive_end(std::uint64_t end);

    /// The next bytes to write to the program, contiguous.
    std::string_view pending() const { return ring_.peek(0, stream_window_bytes); }
    void delivered(std::size_t count) { ring_.pop(count); }
    /// The program no longer reads: held and future bytes count as taken and are dropped.
    void reader_gone();
    /// The end is known, and all bytes before it were delivered.
    bool finished() const { return end_ && taken_ >= *end_ && ring_.size() == 0; }

    bool end_known() const { return end_.has_value(); }

    std::uint64_t taken() const { return taken_; }
    std::uint64_t limit() const { return taken_ - ring_.size() + stream_window_bytes; }

    /// True if taken() and limit() should be sent to the server.
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

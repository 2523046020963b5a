#pragma once

#include "core/base/shared_bytes.hpp"
#include "core/protocol/frame.hpp"

#include <cstdint>
#include <deque>
#include <optional>

namespace caisson::protocol {

/// The server's buffer of a program's stdin; keeps each byte until the agent has taken it.
class stdin_queue {
public:
    /// The agent has taken the bytes before `taken`.
    explicit stdin_queue(std::uint64_t taken) : taken_(taken), end_(taken), sent_(taken), limit_(taken) { }

    /// Appends bytes at `offset`. Drops repeated bytes, bytes behind a hole, and bytes after finish().
    void push(std::uint64_t offset, shared_bytes bytes);
    /// Sets the end. Only the first call counts.
    void finish(std::uint64_t end);
    /// Sets the end after the bytes queued so far.
    void finish_here() { finish(end_); }
    std::uint64_t backlog() const { return end_ - taken_; }

    /// A new connection: bytes that the agent has not taken are sent again, at most `window` of them before its first STDIN_ACK.
    void restart(std::uint64_t window);
    /// The agent has taken the bytes before `taken` and has room up to `limit`. True if `taken` advanced.
    bool acknowledge(std::uint64_t taken, std::uint64_t limit);
    std::uint64_t taken() const { return taken_; }

    /// The next bytes, which begin at `offset`; marks them as sent. Empty if nothing may be sent.
    shared_bytes next(std::uint64_t& offset);
    /// True once per connection, after all bytes before the end were sent.
    bool take_end();
    std::uint64_t end() const { return end_; }

private:
    struct piece {
        std::uint64_t offset;
        shared_bytes bytes;
    };
    std::deque<piece> pieces_;
    std::uint64_t taken_;
    std::uint64_t end_;    // of the queued bytes
    std::uint64_t sent_;
    std::uint64_t limit_;
    bool finished_ = false;
    bool end_sent_ = false;
};

}    // namespace caisson::protocol

#pragma once

#include "core/base/shared_bytes.hpp"
#include "core/protocol/frame.hpp"

#include <cstdint>
#include <deque>
#include <optional>

namespace caisson::protocol {

/// A program's stdin as the server keeps it: each byte until the agent has taken it.
class stdin_queue {
public:
    /// The agent has what lies before `taken`.
    explicit stdin_queue(std::uint64_t taken) : taken_(taken), end_(taken), sent_(taken), limit_(taken) { }

    /// Adds what continues the queue; repeats are dropped, and so is what would leave a hole or follows the announced end.
    void push(std::uint64_t offset, shared_bytes bytes);
    /// Announces the end. The first announcement counts.
    void finish(std::uint64_t end);
    /// Announces that nothing follows what is queued.
    void finish_here() { finish(end_); }
    std::uint64_t backlog() const { return end_ - taken_; }

    /// A new connection: what the agent has not taken is sent again, up to `window` bytes before it says how far.
    void restart(std::uint64_t window);
    /// The agent holds what lies before `taken` and has room up to `limit`. True if it took more than was known.
    bool acknowledge(std::uint64_t taken, std::uint64_t limit);
    std::uint64_t taken() const { return taken_; }

    /// What to send next, and marks it as sent; empty while nothing may be sent. `offset` is where it begins.
    shared_bytes next(std::uint64_t& offset);
    /// True once a connection, when everything before the end was sent.
    bool take_end();
    std::uint64_t end() const { return end_; }

private:
    struct piece {
        std::uint64_t offset;
        shared_bytes bytes;
    };
    std::deque<piece> pieces_;
    std::uint64_t taken_;
    std::uint64_t end_;    // of what is queued
    std::uint64_t sent_;
    std::uint64_t limit_;
    bool finished_ = false;
    bool end_sent_ = false;
};

}    // namespace caisson::protocol

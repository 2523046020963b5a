#pragma once

#include "core/base/shared_bytes.hpp"
#include "core/protocol/agent_link.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace caisson {

/// What a program is given to read. Bytes [0, end()) were given; its agent took those before taken(). Keeps what was given before the
/// program started, so that another agent can get it. I/O thread only.
class stdin_feed {
public:
    /// Queues the request's own bytes, before all that is given later; with `last` nothing follows them. Once for each attempt that is to
    /// get them; repeats do nothing.
    void give_first(shared_bytes bytes, bool last);
    /// Queues more; with `last` nothing follows. `to` is the agent of a program that was ordered; null: it is kept for flush(). The caller
    /// checked !is_closed().
    void give(shared_bytes bytes, bool last, protocol::agent_link* to, protocol::exec_number program);
    /// Hands what is kept to the agent. It stays kept until note_started(): an agent that turns out not to have it gets it again.
    void flush(protocol::agent_link& to, protocol::exec_number program) const;

    /// What an earlier server gave is not known until the agent is heard.
    void forget_earlier() { known_ = false; }
    /// Prepares for another attempt. If the program `ran`, drops what was given after the request's own bytes: see
    /// execution::stdin_spent(). `stays_open`: more may follow.
    void rewind(bool ran, bool stays_open);

    // What the agent says.
    void note_started();
    void note_known() { known_ = true; }
    /// After a restart: also what an earlier server had sent.
    void note_taken(std::uint64_t offset);
    void note_end_taken();

    bool is_known() const { return known_; }
    std::uint64_t end() const { return end_; }
    std::uint64_t taken() const { return taken_; }
    std::uint64_t untaken() const { return end_ - taken_; }
    bool is_closed() const { return closed_; }
    /// Whether the agent knows the end.
    bool is_end_taken() const { return end_taken_; }
    /// Whether more was given than the request's own, or its end.
    bool was_given_later() const { return end_ > of_request_ || closed_; }

private:
    bool known_ = true;
    std::uint64_t end_ = 0;
    std::uint64_t taken_ = 0;
    bool closed_ = false;
    bool end_taken_ = false;
    std::uint64_t of_request_ = 0;    // bytes
    bool request_is_kept_ = false;    // they are in kept_
    bool program_started_ = false;
    std::vector<std::pair<std::uint64_t, shared_bytes>> kept_;    // with their offsets
};

}    // namespace caisson

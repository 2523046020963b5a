#pragma once

#include "app/agent/connection.hpp"
#include "app/agent/options.hpp"
#include "core/protocol/agent_session.hpp"

#include <memory>

namespace caisson::agent {

/// The agent's connections: one to the current server, and one that may replace it. Listens, dials or uses stdio, as the options say.
/// Counts the lease: how long the agent lives without a server.
class server_link {
public:
    /// All outlive it.
    server_link(const options& how, protocol::agent_session& session, poller& events)
        : options_(how), session_(session), events_(events) { }

    /// Begins to listen, to dial or to read. False if the descriptors cannot be polled.
    bool open();

    /// Accepts a connection. It replaces an older one that has not sent HELLO, because that may never come.
    void accept();
    /// Tries to connect if a try is due. After a server that has sent HELLO is lost, the next try is immediate; otherwise pauses double.
    void dial();
    /// Handles the current server's connection. `readable`: it has input or has ended.
    void handle_current(bool readable) { handle(current_, readable); }
    void handle_candidate() { handle(candidate_, true); }
    /// Sends due frames until none is left or the stream is full.
    void pump();
    /// Watches the current connection for input and, while there is output, for room. False if it cannot be polled.
    bool watch() { return !current_ || current_->watch(events_, source::link_in); }
    /// Releases buffer memory while idle.
    void rest();

    /// Whether no server can reconnect any more. Final.
    bool is_over() const { return is_over_; }
    /// The time at which the lease ends, in ms; -1 while a server is connected by a socket.
    std::int64_t lease_end_ms() const;
    /// The time of the lease's end or of the next try to connect, in ms; -1: none is due.
    std::int64_t next_deadline_ms() const;

private:
    void take_candidate(unique_fd connected);
    bool may_dial() const { return options_.connect_to && !current_ && !candidate_; }
    void handle(std::unique_ptr<connection>& from, bool readable);
    bool handle_frames(connection& from);
    bool on_frame(connection& from, const protocol::frame_view& frame);
    bool on_hello(connection& from, const protocol::frame_view& frame);
    bool is_current(const connection& which) const { return current_.get() == &which; }
    void drop(std::unique_ptr<connection>& which);

    const options& options_;
    protocol::agent_session& session_;
    poller& events_;
    watched_fd listener_;
    std::unique_ptr<connection> current_;      // to the current server; over stdio also while waiting for one
    std::unique_ptr<connection> candidate_;    // accepted or dialled, waiting for HELLO
    std::int64_t last_heard_ms_ = 0;           // time of the current server's last whole frame
    std::int64_t dial_at_ms_ = 0;              // no earlier than this
    std::int64_t dial_pause_ms_ = 0;           // after a failed try
    bool greeted_ = false;                     // a server has connected before
    bool is_over_ = false;
};

}    // namespace caisson::agent

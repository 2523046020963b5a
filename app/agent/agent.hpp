#pragma once

#include "app/agent/connection.hpp"
#include "app/agent/end_collecting.hpp"
#include "app/agent/landlock.hpp"
#include "app/agent/options.hpp"
#include "app/agent/parked_program.hpp"
#include "app/agent/program.hpp"
#include "core/protocol/agent_session.hpp"

#include <map>
#include <memory>

namespace caisson::agent {

/// The agent's event loop: one thread, epoll. Blocks only for a child's start and, up to milliseconds, for a program's end.
class agent final : protocol::agent_host {
public:
    agent(const options& how, landlock rules) : options_(how), rules_(std::move(rules)), session_(*this) { }

    /// Runs until the sandbox ends. Returns the exit status.
    int run();

private:
    start_result start(protocol::exec_number number, const protocol::spawn_request& request, std::vector<unique_fd> join) override;
    int put_file(const protocol::file_chunk& chunk) override;
    void signal(protocol::exec_number number, const protocol::signal_order& order) override;
    void resize(protocol::exec_number number, const protocol::resize_order& order) override;
    void forget(protocol::exec_number number) override;
    void shutdown() override { ending_ = true; }
    int park(protocol::exec_number number, const protocol::park_request& request, std::vector<unique_fd> join) override;

    bool prepare();
    void handle(const ready_fd& ready);
    void handle_program(const ready_fd& ready);
    void on_signals();
    bool holds();
    void reap();
    void enforce_deadlines();
    void rest_if_due(std::int64_t now_ms);
    std::int64_t next_timeout_ms() const;
    std::int64_t lease_end_ms() const;
    bool collect_at_end();
    void end_everything();
    void tell_of_parking(int code);

    void accept_candidate();
    void dial();
    void take_candidate(unique_fd connected);
    bool may_dial() const { return options_.connect_to && !current_ && !candidate_; }
    void handle_link(std::unique_ptr<connection>& from, bool readable);
    bool handle_frames(connection& from);
    bool on_frame(connection& from, const protocol::frame_view& frame);
    bool on_hello(connection& from, const protocol::frame_view& frame);
    bool is_current(const connection& which) const { return current_.get() == &which; }
    void drop(std::unique_ptr<connection>& which);
    void pump();
    void watch_all();

    options options_;
    landlock rules_;    // for programs
    protocol::agent_session session_;
    poller events_;
    watched_fd signals_;
    watched_fd listener_;
    std::unique_ptr<connection> current_;      // to the current server; over stdio also while waiting for one
    std::unique_ptr<connection> candidate_;    // accepted or dialled, waiting for HELLO
    std::map<protocol::exec_number, program> programs_;
    parked_program parked_;
    end_collecting at_end_;
    std::int64_t rest_at_ms_ = 0;       // 0: no event since the last rest
    std::int64_t last_heard_ms_ = 0;    // time of the current server's last whole frame
    std::int64_t dial_at_ms_ = 0;       // no earlier than this
    std::int64_t dial_pause_ms_ = 0;    // after a failed try
    bool greeted_ = false;              // a server has connected before
    bool childless_ = true;             // no children except a parked one
    bool ending_ = false;
    std::int64_t held_since_ms_ = 0;                 // sending is held back since then; 0: it is not. See holds()
    std::optional<protocol::exec_number> closed_;    // execution that closed an output in this turn
    bool lease_over_ = false;
};

}    // namespace caisson::agent

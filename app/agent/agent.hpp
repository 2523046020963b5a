#pragma once

#include "app/agent/end_collecting.hpp"
#include "app/agent/landlock.hpp"
#include "app/agent/options.hpp"
#include "app/agent/parked_program.hpp"
#include "app/agent/program.hpp"
#include "app/agent/server_link.hpp"
#include "core/protocol/agent_session.hpp"

#include <map>

namespace caisson::agent {

/// The agent's event loop: one thread, epoll. Blocks only for a child's start and, up to milliseconds, for a program's end.
class agent final : protocol::agent_host {
public:
    agent(const options& how, landlock rules) : options_(how), rules_(std::move(rules)), session_(*this), link_(options_, session_, events_)
    {
    }

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
    bool collect_at_end();
    void end_everything();
    void tell_of_parking(int code);
    void watch_all();
    bool is_ending() const { return ending_ || link_.is_over(); }

    options options_;
    landlock rules_;    // for programs
    protocol::agent_session session_;
    poller events_;
    server_link link_;
    watched_fd signals_;
    std::map<protocol::exec_number, program> programs_;
    parked_program parked_;
    end_collecting at_end_;
    std::int64_t rest_at_ms_ = 0;                    // 0: no event since the last rest
    bool childless_ = true;                          // no children except a parked one
    bool ending_ = false;                            // by an order or a signal, or because lease_over_
    std::int64_t held_since_ms_ = 0;                 // sending is held back since then; 0: it is not. See holds()
    std::optional<protocol::exec_number> closed_;    // execution that closed an output in this turn
    bool lease_over_ = false;
};

}    // namespace caisson::agent

#pragma once

#include "adapters/mock/mock_agent.hpp"

#include <csignal>
#include <optional>

namespace caisson {

/// Shared by a mock agent's connections and programs.
class mock_agent::state : public protocol::agent_host {
public:
    state(io_executor executor, timers& time) : time_(time), changed_(executor), session_(*this) { }

    // agent_host
    start_result start(protocol::exec_number number, const protocol::spawn_request& request, std::vector<unique_fd> join) override;
    int put_file(const protocol::file_chunk&) override { return 0; }
    void signal(protocol::exec_number number, const protocol::signal_order& order) override
    {
        send(number, static_cast<int>(order.number));
    }
    void resize(protocol::exec_number, const protocol::resize_order&) override { }
    void forget(protocol::exec_number number) override { send(number, SIGKILL); }
    void shutdown() override { die("the agent was shut down"); }

    /// Serves one connection to its end.
    static task<> serve(std::shared_ptr<state> self, std::unique_ptr<protocol::byte_stream> stream);

    /// Waits for the agent's death and returns the cause.
    static task<std::string> wait_for_death(std::shared_ptr<state> self);

    void send(protocol::exec_number number, int signal_number);
    void kill_programs();
    void die(std::string cause);
    void set_paused(bool paused);
    void end_programs_tasks() { tasks_ = nullptr; }
    void set_tasks(task_group& tasks, std::weak_ptr<state> self)
    {
        tasks_ = &tasks;
        self_ = std::move(self);
    }

    struct program {
        std::vector<mock_step> script;
        std::optional<int> ended_by;    // received signal
        bool overdue = false;
        steady_time started;
    };
    std::map<protocol::exec_number, program> programs;    // running ones
    std::optional<std::string> death;
    std::int64_t oom_kills = 0;
    bool disk_full = false;

private:
    static task<> run(std::shared_ptr<state> self, protocol::exec_number number);
    static task<> watch_wall(std::shared_ptr<state> self, protocol::exec_number number, std::chrono::milliseconds wall);
    static task<> read(std::shared_ptr<state> self, protocol::byte_stream* stream);
    static task<> write(std::shared_ptr<state> self, protocol::byte_stream* stream);
    static task<> until_stopped(std::shared_ptr<state> self, protocol::exec_number number);
    task<> do_step(protocol::exec_number number, mock_step step);
    task<> print(protocol::exec_number number, protocol::stream_number stream, std::string text);
    task<> cat(protocol::exec_number number);
    bool stopped(protocol::exec_number number) const;
    bool on_frame(protocol::byte_stream* stream, const protocol::frame_view& frame, bool greeting);
    task<> wait(protocol::exec_number number, std::chrono::milliseconds how_long);
    static task<> nothing();
    void finish(protocol::exec_number number, int wait_status);

    timers& time_;
    notifier changed_;
    protocol::agent_session session_;
    protocol::byte_stream* current_ = nullptr;    // the active connection
    std::string answers_;                         // to HELLO; sent before anything else
    bool paused_ = false;
    task_group* tasks_ = nullptr;
    std::weak_ptr<state> self_;
};

}    // namespace caisson

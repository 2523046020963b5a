#pragma once

#include "core/base/unique_fd.hpp"
#include "core/protocol/agent_execution.hpp"

#include <map>
#include <string>
#include <vector>

namespace caisson::protocol {

/// Starts and controls programs for an agent_session.
class agent_host {
public:
    struct start_result {
        int code = 0;        // errno; 0: started
        std::string step;    // the step that failed
        started what;
    };

    virtual ~agent_host() = default;
    /// Starts a program, or leaves nothing behind.
    virtual start_result start(exec_number number, const spawn_request& request, std::vector<unique_fd> join) = 0;
    /// Returns an errno, 0 for success.
    virtual int put_file(const file_chunk& chunk) = 0;
    virtual void signal(exec_number number, const signal_order& order) = 0;
    virtual void resize(exec_number number, const resize_order& order) = 0;
    /// The execution's output is no longer needed.
    virtual void forget(exec_number number) = 0;
    virtual void shutdown() = 0;
    /// Begins to park a program or bare child in the groups of `join`, for execution `number` only; 0 means the first one started. Reports
    /// the outcome to agent_session::tell(). Returns an errno if parking is impossible, else 0.
    virtual int park(exec_number number, const park_request& request, std::vector<unique_fd> join);
};

/// The agent's end of the link, without I/O: decides which server to obey, handles frames, emits answers.
class agent_session {
public:
    static constexpr std::size_t max_executions = 64;

    /// `host` must outlive the session.
    explicit agent_session(agent_host& host) : host_(host) { }

    /// Handles HELLO of a new connection, which replaces the previous one if accepted. False for a lower epoch or an unsupported version.
    /// In both cases `out` gets the marker and the answer.
    bool open(const hello& server, std::string& out);
    /// The connection is gone; executions continue without a server.
    void close();
    /// After a protocol error on a stream that cannot be closed: close(), and `out` gets bytes that make the server reconnect.
    void break_off(std::string& out);
    bool is_open() const { return open_; }
    std::uint64_t lease_ms() const { return lease_ms_; }

    /// Adds descriptors that arrived with the bytes of the next frames.
    void add_descriptors(std::vector<unique_fd> fds);
    /// False if the peer broke the protocol; then drop the connection.
    bool on_frame(const frame_view& frame);
    /// Appends frames until `out` has `limit` bytes or more, or nothing is due.
    void emit(std::string& out, std::size_t limit);

    /// Reports the outcome of agent_host::park().
    void tell(const parked& what);

    agent_execution* find(exec_number number);
    std::map<exec_number, agent_execution>& executions() { return executions_; }

private:
    bool on_spawn(exec_number number, const spawn_chunk& chunk);
    bool on_file(exec_number number, const file_chunk& chunk);
    bool on_resume(exec_number number, const resume_point& server);
    bool on_stdin(const frame_view& frame);
    bool on_stdin_end(const frame_view& frame);
    bool on_ack(const frame_view& frame);
    bool on_signal(const frame_view& frame);
    bool on_resize(const frame_view& frame);
    bool on_forget(exec_number number);
    bool on_park(exec_number number, std::string_view body);
    void start(exec_number number);
    void fail(exec_number number, int code, std::string step);
    bool reply_fits() const;
    void answer(std::string& out, std::uint32_t version, std::uint64_t nonce) const;

    /// A SPAWN of which parts are missing.
    struct unfinished_spawn {
        exec_number number = 0;
        std::string bytes;
        std::vector<unique_fd> join;
    };

    agent_host& host_;
    bool open_ = false;
    std::uint64_t epoch_ = 0;
    std::uint32_t version_ = protocol_version;    // of the current server
    std::uint64_t lease_ms_ = 0;
    std::map<exec_number, agent_execution> executions_;
    exec_number last_served_ = 0;
    std::vector<unique_fd> descriptors_;
    unfinished_spawn spawn_;
    std::string replies_;    // whole frames that belong to no agent_execution
};

}    // namespace caisson::protocol

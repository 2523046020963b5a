#pragma once

#include "core/base/unique_fd.hpp"
#include "core/protocol/agent_execution.hpp"

#include <map>
#include <string>
#include <vector>

namespace caisson::protocol {

/// What the agent's session asks of the system around it.
class agent_host {
public:
    struct start_result {
        int code = 0;        // errno; 0: it runs
        std::string step;    // what failed
        started what;
    };

    virtual ~agent_host() = default;
    /// Starts a program, or leaves nothing behind.
    virtual start_result start(exec_number number, const spawn_request& request, std::vector<unique_fd> join) = 0;
    /// Returns an errno, 0 for success.
    virtual int put_file(const file_chunk& chunk) = 0;
    virtual void signal(exec_number number, const signal_order& order) = 0;
    virtual void resize(exec_number number, const resize_order& order) = 0;
    /// Nobody wants the execution's output any more.
    virtual void forget(exec_number number) = 0;
    virtual void shutdown() = 0;
    /// Begins to start ahead what only the execution `number` may become, or with 0 the first one that is started, in the groups of `join`;
    /// what came of it is told to agent_session::tell(). Returns an errno if nothing can come of it.
    virtual int park(exec_number number, const park_request& request, std::vector<unique_fd> join);
};

/// The agent's end of the link without its I/O: which server it obeys, what it does with each frame, what it says next.
class agent_session {
public:
    static constexpr std::size_t max_executions = 64;

    /// `host` must outlive the session.
    explicit agent_session(agent_host& host) : host_(host) { }

    /// A connection says HELLO. If it is obeyed it takes the place of the one before, and `out` gets the marker and the
    /// answer. False for a lower epoch or a version that is not spoken here: `out` gets the answer that tells it so.
    bool open(const hello& server, std::string& out);
    /// The connection is gone; everything goes on without a server.
    void close();
    /// Frames came that make no sense, over a stream that cannot be closed: close(), and `out` gets what makes the server
    /// connect anew.
    void break_off(std::string& out);
    bool is_open() const { return open_; }
    std::uint64_t lease_ms() const { return lease_ms_; }

    /// Descriptors that came with the bytes of the frames to come.
    void add_descriptors(std::vector<unique_fd> fds);
    /// False if the peer broke the protocol: the connection is to be dropped.
    bool on_frame(const frame_view& frame);
    /// Appends frames until `out` has `limit` bytes or more, or nothing is due.
    void emit(std::string& out, std::size_t limit);

    /// What came of agent_host::park().
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

    /// A SPAWN whose parts are still coming.
    struct unfinished_spawn {
        exec_number number = 0;
        std::string bytes;
        std::vector<unique_fd> join;
    };

    agent_host& host_;
    bool open_ = false;
    std::uint64_t epoch_ = 0;
    std::uint32_t version_ = protocol_version;    // of the server that is obeyed
    std::uint64_t lease_ms_ = 0;
    std::map<exec_number, agent_execution> executions_;
    exec_number last_served_ = 0;
    std::vector<unique_fd> descriptors_;
    unfinished_spawn spawn_;
    std::string replies_;    // whole frames about executions that are not kept
};

}    // namespace caisson::protocol

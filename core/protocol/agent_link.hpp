#pragma once

#include "core/async/task_group.hpp"
#include "core/async/timers.hpp"
#include "core/base/error.hpp"
#include "core/base/log.hpp"
#include "core/base/shared_bytes.hpp"
#include "core/base/unique_fd.hpp"
#include "core/protocol/byte_stream.hpp"
#include "core/protocol/types.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace caisson::protocol {

/// Receives the agent's reports on one execution. The link calls it on the I/O thread; must not block or throw.
class execution_sink {
public:
    virtual ~execution_sink() = default;
    /// `monotonic_ns`: start time by CLOCK_MONOTONIC of the agent's kernel.
    virtual void on_started(std::int32_t pid_in_sandbox, std::uint64_t monotonic_ns) = 0;
    /// The program was parked. Called before on_started().
    virtual void on_was_parked() { }
    /// Delivers each byte of a stream once and in order, across reconnects.
    virtual void on_output(stream_number stream, std::uint64_t offset, shared_bytes bytes) = 0;
    /// `missing` bytes at `offset` are lost: the agent no longer has them. The next output starts after them.
    virtual void on_gap(stream_number stream, std::uint64_t offset, std::uint64_t missing) = 0;
    virtual void on_eof(stream_number stream, std::uint64_t end) = 0;
    /// The agent holds or has delivered stdin up to `offset`.
    virtual void on_stdin_taken(std::uint64_t offset) = 0;
    /// The agent knows where stdin ends; no server needs to send the end again.
    virtual void on_stdin_ended() { }
    /// The leader process ended. Output may follow until both streams are at EOF.
    virtual void on_exited(exit_report report) = 0;
    /// Nothing was started: `step` (for example "execve", "chdir", "file main.py") failed with errno `code`.
    virtual void on_start_failed(int code, std::string step) = 0;
    /// The resumed execution is unknown to the agent.
    virtual void on_unknown() = 0;
};

/// The server's end of the link to one sandbox's agent. Reconnects, resends and acknowledges by itself. I/O thread only.
class agent_link {
public:
    using connector = std::function<task<result<std::unique_ptr<byte_stream>>>()>;

    virtual ~agent_link() = default;

    /// Connects and exchanges HELLO. Errors: errc::timed_out at `deadline`, the connector's errc::runtime_unavailable or errc::gone,
    /// errc::gone for an unsupported protocol version, errc::conflict if a newer server has the sandbox.
    virtual task<result<void>> open(steady_time deadline) = 0;
    /// Parks a program or a bare child for execution `number`, in the groups of `join` (duplicated here), and waits for the outcome.
    /// Call between open() and run(). False: nothing was parked, and the agent is unchanged. An agent of version 3 joins the groups only
    /// at SPAWN, gives the parked program to the first execution spawned, and parks no bare child. Errors: errc::timed_out at `deadline`,
    /// errc::internal if the agent closed the connection. Throws boost::system::system_error on a broken connection. After an error or an
    /// exception the link is unusable.
    virtual task<result<bool>> park(exec_number number, park_request request, std::vector<int> join, steady_time deadline) = 0;
    /// Reads, writes and reconnects until close(), or until an attempt to connect fails for good; returns that error
    /// (errc::runtime_unavailable, errc::gone or errc::conflict). Run it in a task_group after open().
    virtual task<result<void>> run() = 0;
    /// Makes run() return. The agent is not told and continues.
    virtual void close() noexcept = 0;

    /// Reports execution `number` to `sink`. Pass `resume` if an earlier connection or server spawned the execution. The sink must live
    /// until forget() or detach().
    virtual void attach(exec_number number, execution_sink& sink, std::optional<resume_point> resume) = 0;
    virtual void detach(exec_number number) = 0;

    /// Creates a file below the working directory before the spawn. A failure arrives as on_start_failed() of `number`.
    virtual void put_file(exec_number number, std::string path, std::uint32_t mode, shared_bytes content) = 0;
    /// Starts a program. `join` is duplicated here, and passed with SPAWN if the stream carries descriptors.
    virtual void spawn(exec_number number, spawn_request request, std::vector<int> join) = 0;
    /// Queues stdin that begins at `offset`; drops repeated bytes. Sent as the agent's window opens.
    virtual void send_stdin(exec_number number, std::uint64_t offset, shared_bytes bytes) = 0;
    virtual void end_stdin(exec_number number, std::uint64_t end) = 0;
    /// Bytes of stdin queued here that the agent has not taken.
    virtual std::uint64_t stdin_backlog(exec_number number) const = 0;

    /// The bytes of `stream` before `end` are safe; the agent may drop them.
    virtual void acknowledge(exec_number number, stream_number stream, std::uint64_t end) = 0;
    /// `sandbox` means all its programs, with SIGKILL only.
    enum class target : std::uint8_t { leader = 0, group = 1, sandbox = 2 };
    /// Sends the signal until the agent confirms it, across reconnects; the agent delivers it once. False if too many signals wait;
    /// signals to the whole sandbox are always accepted. An agent of version 1 gets it once: a broken connection then loses it.
    virtual bool signal(exec_number number, int signal_number, target to) = 0;
    /// Sets the terminal's size; sent again on each new connection.
    virtual void resize(exec_number number, std::uint16_t cols, std::uint16_t rows) = 0;
    /// Tells the agent to drop the execution, whose end is recorded. Ends the attachment.
    virtual void forget(exec_number number) = 0;
    /// Asks the agent to end, and with it the sandbox.
    virtual void shutdown() = 0;
};

struct link_options {
    std::string instance;       // this server's instance id, sent in HELLO
    std::uint64_t epoch = 1;    // must exceed that of every earlier server, for example Unix ms
    std::chrono::milliseconds lease{std::chrono::hours(24)};
};

/// `time` and `log` must outlive the link.
std::unique_ptr<agent_link> make_agent_link(
    io_executor executor, timers& time, logger& log, agent_link::connector connect, link_options options);

}    // namespace caisson::protocol

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

/// Hears what the agent says of one execution. Called on the I/O thread from inside the link; must not block or throw.
class execution_sink {
public:
    virtual ~execution_sink() = default;
    /// `monotonic_ns`: when, by the CLOCK_MONOTONIC of the agent's kernel.
    virtual void on_started(std::int32_t pid_in_sandbox, std::uint64_t monotonic_ns) = 0;
    /// Comes before on_started(): the program is the one that was parked.
    virtual void on_was_parked() { }
    /// Each byte of a stream once and in order, whatever happened to connections in between.
    virtual void on_output(stream_number stream, std::uint64_t offset, shared_bytes bytes) = 0;
    /// Bytes that are lost for good: the agent does not have them any more. The next output starts after them.
    virtual void on_gap(stream_number stream, std::uint64_t offset, std::uint64_t missing) = 0;
    virtual void on_eof(stream_number stream, std::uint64_t end) = 0;
    /// The agent holds or has delivered stdin up to `offset`.
    virtual void on_stdin_taken(std::uint64_t offset) = 0;
    /// The agent knows where stdin ends: no server has to say it again.
    virtual void on_stdin_ended() { }
    /// The leader ended. Output may still follow until both streams are at EOF.
    virtual void on_exited(exit_report report) = 0;
    /// Nothing was started: `step` (for example "execve", "chdir", "file main.py") failed with errno `code`.
    virtual void on_start_failed(int code, std::string step) = 0;
    /// Asked to resume, but the agent never heard of this execution.
    virtual void on_unknown() = 0;
};

/// The server's end of the link to one sandbox's agent: reconnects, resends and acknowledges by itself. I/O thread only.
class agent_link {
public:
    using connector = std::function<task<result<std::unique_ptr<byte_stream>>>()>;

    virtual ~agent_link() = default;

    /// Connects and says HELLO. Errors: errc::timed_out at `deadline`, errc::runtime_unavailable if the connector gives up.
    virtual task<result<void>> open(steady_time deadline) = 0;
    /// Between open() and run(): has the agent start something ahead that only execution `number` may become, in the groups of `join` from
    /// the start on, and waits for what comes of it. `join` is duplicated here. An agent of version 3 lets it join at its spawn only, gives
    /// it to whichever is spawned first, and has no bare child. False: nothing came of it, and the agent is as it was. Errors:
    /// errc::timed_out at `deadline`, errc::internal if the agent went. Throws boost::system::system_error on a broken connection. After an
    /// error or an exception the link is of no use.
    virtual task<result<bool>> park(exec_number number, park_request request, std::vector<int> join, steady_time deadline) = 0;
    /// Reads, writes and reconnects until close(), or until the connector says errc::runtime_unavailable or errc::gone,
    /// which it returns as that error. Run it in a task_group after open().
    virtual task<result<void>> run() = 0;
    /// Makes run() return without a word to the agent, which goes on.
    virtual void close() noexcept = 0;

    /// From now on `sink` hears of execution `number`. `resume` for one that an earlier connection or server spawned.
    /// The sink must live until forget() or detach().
    virtual void attach(exec_number number, execution_sink& sink, std::optional<resume_point> resume) = 0;
    virtual void detach(exec_number number) = 0;

    /// Puts a file below the working directory before the spawn; failures arrive as on_start_failed of `number`.
    virtual void put_file(exec_number number, std::string path, std::uint32_t mode, shared_bytes content) = 0;
    /// `join` is duplicated here and passed with the frame where the stream carries descriptors.
    virtual void spawn(exec_number number, spawn_request request, std::vector<int> join) = 0;
    /// Queues stdin that begins at `offset` (what repeats is dropped). Sent as the agent's window opens.
    virtual void send_stdin(exec_number number, std::uint64_t offset, shared_bytes bytes) = 0;
    virtual void end_stdin(exec_number number, std::uint64_t end) = 0;
    /// How many bytes of stdin are queued here and not yet taken by the agent.
    virtual std::uint64_t stdin_backlog(exec_number number) const = 0;

    /// All bytes of `stream` before `end` are safe here; the agent may drop them.
    virtual void acknowledge(exec_number number, stream_number stream, std::uint64_t end) = 0;
    /// `sandbox` is every program in it, and takes SIGKILL only.
    enum class target : std::uint8_t { leader = 0, group = 1, sandbox = 2 };
    /// Said until the agent has it, over however many connections, and done once. False if too many wait already; what
    /// is for the whole sandbox is always taken. An agent of version 1 gets it once, and a connection that breaks then loses it.
    virtual bool signal(exec_number number, int signal_number, target to) = 0;
    /// The latest size is told to each new connection.
    virtual void resize(exec_number number, std::uint16_t cols, std::uint16_t rows) = 0;
    /// The execution's end is recorded; the agent drops all it has of it. Ends the attachment.
    virtual void forget(exec_number number) = 0;
    /// Asks the agent to end, and with it the sandbox.
    virtual void shutdown() = 0;
};

struct link_options {
    std::string instance;       // this server's instance id, told in HELLO
    std::uint64_t epoch = 1;    // greater than that of every earlier server; Unix ms will do
    std::chrono::milliseconds lease{std::chrono::hours(24)};
};

/// `background` owns nothing of the link; it lends the executor. `time` and `log` outlive the link.
std::unique_ptr<agent_link> make_agent_link(
    io_executor executor, timers& time, logger& log, agent_link::connector connect, link_options options);

}    // namespace caisson::protocol

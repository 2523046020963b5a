#pragma once

#include "core/protocol/agent_link.hpp"
#include "core/protocol/frame_batch.hpp"
#include "core/protocol/messages.hpp"
#include "core/protocol/stdin_queue.hpp"

#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace caisson::protocol {

/// One execution at the server's end of the link: what is still to be sent to the agent, and what was received.
class link_execution {
public:
    /// Pass `resume` for an execution that the agent should know already.
    link_execution(exec_number number, execution_sink& sink, std::optional<resume_point> resume);

    void put_file(std::string path, std::uint32_t mode, shared_bytes content);
    void spawn(const spawn_request& request, shared_descriptors join);
    /// The execution cannot be started, for a reason on this side.
    void refuse(int code, std::string step);
    stdin_queue& input() { return input_; }
    void acknowledge(stream_number stream, std::uint64_t end);
    /// Keeps the signal until the agent confirms it. False if too many wait; signals to everyone are always kept.
    bool signal(const signal_order& order);
    void resize(const resize_order& order);
    /// The sink is not called again.
    void detach() { sink_ = nullptr; }

    /// A new connection: everything unconfirmed is due again.
    void connected();
    enum class filled { nothing, something, needs_new_batch };
    /// Adds the frames that are due in protocol version `version`, with at most one piece of bulk data: executions take turns.
    filled fill(frame_batch& batch, bool carries_descriptors, std::uint32_t version = protocol_version);
    bool is_refused() const { return refusal_ && !exited_; }
    /// Reports a start that failed on this side to the sink.
    void report_refusal();
    /// The agent does not know the execution yet.
    bool is_to_start() const { return !known_to_agent_; }
    /// The agent knows the execution, and a signal to everyone is unconfirmed.
    bool is_to_kill_all() const;
    /// False if the agent broke the protocol.
    bool on_frame(const frame_view& frame);

private:
    struct input_file {
        std::string path;
        std::uint32_t mode;
        shared_bytes content;
    };
    struct stream_state {
        std::uint64_t received = 0;
        std::uint64_t acknowledged = 0;
        std::uint64_t told = 0;       // `acknowledged` as last sent on this connection
        std::uint64_t gap = 0;        // size of the latest gap
        std::uint64_t gap_end = 0;    // end of the latest gap
        bool ended = false;
        /// Bytes received, without gaps, and not acknowledged.
        std::uint64_t held() const;
    };
    enum class stage {
        idle,      // nothing was sent on this connection
        asked,     // RESUME was sent; waiting for STATE
        joined,    // the agent sends its data
    };

    void confirm();
    filled fill_start(frame_batch& batch, bool carries_descriptors);
    bool fill_file(frame_batch& batch);
    void fill_spawn(frame_batch& batch, bool carries_descriptors);
    bool fill_orders(frame_batch& batch, std::uint32_t version);
    void fill_signals(frame_batch& batch, std::uint32_t version);
    bool fill_input(frame_batch& batch, std::uint32_t version);
    bool on_state(const exec_state& state);
    bool on_output(const output_chunk& chunk);
    bool on_end(const stream_end& end);
    bool on_stdin_ack(const stdin_ack& ack);
    bool on_orders(const orders_taken& taken);
    bool skip_to(stream_number stream, std::uint64_t offset);
    stream_state& of(stream_number stream) { return stream == stream_number::stdout_stream ? stdout_ : stderr_; }

    exec_number number_;
    execution_sink* sink_;
    stage stage_ = stage::idle;
    bool known_to_agent_;    // spawned here or by an earlier server

    bool spawn_wanted_ = false;
    bool stdin_open_ = false;
    shared_bytes spawn_;    // empty once confirmed
    shared_descriptors join_;
    std::vector<input_file> files_;
    std::size_t file_index_ = 0;
    std::size_t file_offset_ = 0;
    std::optional<std::pair<int, std::string>> refusal_;

    stdin_queue input_;
    stream_state stdout_;
    stream_state stderr_;
    std::deque<signal_order> signals_;    // unconfirmed
    std::size_t signals_said_ = 0;        // of those, sent on this connection
    std::uint64_t last_order_ = 0;        // the last order number given to a signal
    bool orders_known_;                   // last_order_ includes the numbers of earlier servers
    bool stdin_end_heard_ = false;
    std::optional<resize_order> resize_;    // the latest size, sent again on each connection
    bool resize_due_ = false;
    bool started_ = false;
    bool exited_ = false;
};

}    // namespace caisson::protocol

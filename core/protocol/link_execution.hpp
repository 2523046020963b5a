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

/// One execution as the server's end of the link sees it: what is still to be said to the agent, and what was heard.
class link_execution {
public:
    /// `resume` for an execution that the agent should know already.
    link_execution(exec_number number, execution_sink& sink, std::optional<resume_point> resume);

    void put_file(std::string path, std::uint32_t mode, shared_bytes content);
    void spawn(const spawn_request& request, shared_descriptors join);
    /// It will not be started, for a reason on this side.
    void refuse(int code, std::string step);
    stdin_queue& input() { return input_; }
    void acknowledge(stream_number stream, std::uint64_t end);
    /// Kept until the agent has it. False if too many wait; what is for everyone is always kept.
    bool signal(const signal_order& order);
    void resize(const resize_order& order);
    /// The sink hears nothing more.
    void detach() { sink_ = nullptr; }

    /// A new connection: what was not confirmed is to be said again.
    void connected();
    enum class filled { nothing, something, needs_new_batch };
    /// Adds what is due in `version` of the protocol, at most one piece of bulk data, so that executions take turns.
    filled fill(frame_batch& batch, bool carries_descriptors, std::uint32_t version = protocol_version);
    bool is_refused() const { return refusal_ && !exited_; }
    /// Tells the sink of a start that failed on this side.
    void report_refusal();
    /// The agent has not heard of it yet.
    bool is_to_start() const { return !known_to_agent_; }
    /// The agent knows it, and may still have to end every program for it.
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
        std::uint64_t told = 0;       // what the agent was told of `acknowledged` on this connection
        std::uint64_t gap = 0;        // so many bytes of the latest gap
        std::uint64_t gap_end = 0;    // before here never came
        bool ended = false;
        /// Of what came, what is not acknowledged.
        std::uint64_t held() const;
    };
    enum class stage {
        idle,      // nothing was said on this connection
        asked,     // RESUME was sent, STATE is to come
        joined,    // the agent sends what it has
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
    bool known_to_agent_;    // it was spawned here before, or by an earlier server

    bool spawn_wanted_ = false;
    bool stdin_open_ = false;
    shared_bytes spawn_;    // empty again when it is confirmed
    shared_descriptors join_;
    std::vector<input_file> files_;
    std::size_t file_index_ = 0;
    std::size_t file_offset_ = 0;
    std::optional<std::pair<int, std::string>> refusal_;

    stdin_queue input_;
    stream_state stdout_;
    stream_state stderr_;
    std::deque<signal_order> signals_;    // that the agent is not known to have
    std::size_t signals_said_ = 0;        // of those, on this connection
    std::uint64_t last_order_ = 0;        // the last number that was given to a signal
    bool orders_known_;                   // which numbers earlier servers gave
    bool stdin_end_heard_ = false;
    std::optional<resize_order> resize_;    // the latest one, said again on each connection
    bool resize_due_ = false;
    bool started_ = false;
    bool exited_ = false;
};

}    // namespace caisson::protocol

#pragma once

#include "core/protocol/agent_link.hpp"
#include "core/protocol/frame_batch.hpp"
#include "core/protocol/messages.hpp"
#include "core/protocol/received_stream.hpp"
#include "core/protocol/signal_queue.hpp"
#include "core/protocol/sink_reports.hpp"
#include "core/protocol/start_order.hpp"
#include "core/protocol/stdin_queue.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace caisson::protocol {

/// One execution at the server's end of the link: decides which of its frames are due on a connection, and passes received frames to its
/// parts. The parts keep what is still to be sent and what was received.
class link_execution {
public:
    /// Pass `resume` for an execution that the agent should know already.
    link_execution(exec_number number, execution_sink& sink, std::optional<resume_point> resume);

    void put_file(std::string path, std::uint32_t mode, shared_bytes content)
    {
        start_.put_file(std::move(path), mode, std::move(content));
    }
    void spawn(const spawn_request& request, shared_descriptors join) { start_.spawn(request, std::move(join)); }
    /// The execution cannot be started, for a reason on this side.
    void refuse(int code, std::string step) { start_.refuse(code, std::move(step)); }
    stdin_queue& input() { return input_; }
    void acknowledge(stream_number stream, std::uint64_t end) { of(stream).acknowledge(end); }
    /// Keeps the signal until the agent confirms it. False if too many wait; signals to everyone are always kept.
    bool signal(const signal_order& order) { return signals_.push(order); }
    void resize(const resize_order& order);
    /// The sink is not called again.
    void detach() { reports_.detach(); }

    /// A new connection: everything unconfirmed is due again.
    void connected();
    enum class filled { nothing, something, needs_new_batch };
    /// Adds the frames that are due in protocol version `version`, with at most one piece of bulk data: executions take turns.
    filled fill(frame_batch& batch, bool carries_descriptors, std::uint32_t version = protocol_version);
    bool is_refused() const { return start_.refused() && !reports_.has_ended(); }
    /// Reports a start that failed on this side to the sink.
    void report_refusal();
    /// The agent does not know the execution yet.
    bool is_to_start() const { return !known_to_agent_; }
    /// The agent knows the execution, and a signal to everyone is unconfirmed.
    bool is_to_kill_all() const { return known_to_agent_ && signals_.has_kill_of_all(); }
    /// False if the agent broke the protocol.
    bool on_frame(const frame_view& frame);

private:
    enum class stage {
        idle,      // nothing was sent on this connection
        asked,     // RESUME was sent; waiting for STATE
        joined,    // the agent sends its data
    };

    void confirm();
    filled fill_start(frame_batch& batch, bool carries_descriptors);
    void fill_spawn(frame_batch& batch, bool carries_descriptors);
    bool fill_orders(frame_batch& batch, std::uint32_t version);
    bool fill_input(frame_batch& batch, std::uint32_t version);
    template <class T>
    bool hear(std::string_view body);
    bool on(const exec_state& state);
    bool on(const started& what);
    bool on(const output_chunk& chunk);
    bool on(const stream_end& end);
    bool on(const stdin_ack& ack);
    bool on(const orders_taken& taken);
    bool on(const exit_report& report);
    bool on(const start_error& what);
    bool skip_to(stream_number stream, std::uint64_t offset);
    received_stream& of(stream_number stream) { return stream == stream_number::stdout_stream ? stdout_ : stderr_; }

    exec_number number_;
    sink_reports reports_;
    stage stage_ = stage::idle;
    bool known_to_agent_;    // spawned here or by an earlier server
    start_order start_;
    stdin_queue input_;
    received_stream stdout_;
    received_stream stderr_;
    signal_queue signals_;
    std::optional<resize_order> resize_;    // the latest size, sent again on each connection
    bool resize_due_ = false;
};

}    // namespace caisson::protocol

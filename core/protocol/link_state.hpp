#pragma once

#include "core/protocol/link_execution.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace caisson::protocol {

/// The server's end of the link, without I/O: keeps the executions, decides what to send next, passes received frames to sinks.
/// Sinks may call back into it from within on_frame() and fill().
class link_state {
public:
    void attach(exec_number number, execution_sink& sink, std::optional<resume_point> resume);
    void detach(exec_number number);
    /// Null if not attached.
    std::shared_ptr<link_execution> find(exec_number number) const;
    void forget(exec_number number);
    void shutdown() { shutdown_wanted_ = shutdown_due_ = true; }
    bool shuts_down() const { return shutdown_wanted_; }
    void ping() { ping_due_ = true; }
    /// `frame` is a whole PARK frame; `join` are the descriptors that it counts.
    void park(std::string frame, shared_descriptors join);
    /// The outcome of the last park(); nothing until known.
    std::optional<bool> was_parked() const { return was_parked_; }
    std::uint32_t version() const { return version_; }

    /// Call after HELLO was exchanged on a new connection.
    void connected(bool carries_descriptors, std::uint32_t version = protocol_version);
    /// Adds frames for one write; false if nothing is due.
    bool fill(frame_batch& batch);
    /// False if the agent broke the protocol.
    bool on_frame(const frame_view& frame);

private:
    void report_refusals();
    void fill_park(frame_batch& batch);
    bool fill_executions(frame_batch& batch);
    bool has_to_wait(const link_execution& one) const;

    std::map<exec_number, std::shared_ptr<link_execution>> executions_;
    exec_number next_ = 0;                 // the next execution's turn
    std::set<exec_number> forgotten_;      // not confirmed by the agent
    std::set<exec_number> forgets_due_;    // of those, not sent on this connection
    bool carries_descriptors_ = false;
    std::uint32_t version_ = protocol_version;    // of the connection
    bool shutdown_wanted_ = false;
    bool shutdown_due_ = false;
    bool ping_due_ = false;
    std::string park_;    // frame to send
    shared_descriptors park_join_;
    std::optional<bool> was_parked_;
};

}    // namespace caisson::protocol

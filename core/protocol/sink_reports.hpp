#pragma once

#include "core/protocol/agent_link.hpp"
#include "core/protocol/messages.hpp"

#include <cstdint>
#include <string_view>

namespace caisson::protocol {

/// Reports on one execution to its sink: the start, the end of stdin and the exit once each, and nothing after detach(). The sink may
/// detach from within any call.
class sink_reports {
public:
    explicit sink_reports(execution_sink& sink) : sink_(&sink) { }

    /// The sink is not called again.
    void detach() { sink_ = nullptr; }
    /// An exit or a failed start was reported.
    bool has_ended() const { return ended_; }

    void on_started(const started& what);
    /// Copies `bytes`.
    void on_output(stream_number stream, std::uint64_t offset, std::string_view bytes);
    void on_gap(stream_number stream, std::uint64_t offset, std::uint64_t missing);
    void on_eof(stream_number stream, std::uint64_t end);
    void on_stdin_taken(std::uint64_t offset);
    void on_stdin_ended();
    void on_exited(const exit_report& report);
    void on_start_failed(int code, std::string_view step);
    void on_unknown();

private:
    execution_sink* sink_;    // null once detached
    bool started_ = false;
    bool stdin_ended_ = false;
    bool ended_ = false;
};

}    // namespace caisson::protocol

#pragma once

#include "core/async/timers.hpp"
#include "core/log/events.hpp"
#include "core/protocol/agent_link.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace caisson {

class execution;

/// Hears an attempt's program from its agent: writes output and start into the execution's log and record, what else it learns into
/// execution::heard, and wakes the execution. I/O thread only.
class program_sink final : public protocol::execution_sink {
public:
    /// Both outlive it.
    program_sink(execution& of, timers& time) : of_(of), time_(time) { }

    /// Begins another attempt, whose streams start at these offsets of the log.
    void begin(std::uint64_t stdout_base, std::uint64_t stderr_base);

    bool streams_ended() const;
    /// How much of a stream the agent need not send again.
    std::uint64_t received(output_stream stream) const;
    /// Tells the agent which bytes are stored, if these are `at_least` more than it was told.
    void acknowledge(std::uint64_t at_least);

    void on_was_parked() override;
    void on_started(std::int32_t pid_in_sandbox, std::uint64_t monotonic_ns) override;
    void on_output(protocol::stream_number stream, std::uint64_t offset, shared_bytes bytes) override;
    void on_gap(protocol::stream_number stream, std::uint64_t offset, std::uint64_t missing) override;
    void on_eof(protocol::stream_number stream, std::uint64_t end) override;
    void on_stdin_taken(std::uint64_t offset) override;
    void on_stdin_ended() override;
    void on_exited(protocol::exit_report report) override;
    void on_start_failed(int code, std::string step) override;
    void on_unknown() override;

private:
    execution& of_;
    timers& time_;
    std::array<std::uint64_t, 2> bases_{};
    std::array<bool, 2> ended_{};
    std::array<std::uint64_t, 2> acknowledged_{};
};

}    // namespace caisson

#pragma once

#include "core/protocol/messages.hpp"
#include "core/protocol/stream_windows.hpp"

namespace caisson::protocol {

/// The agent's state of one execution, kept until FORGET: its phase, and the data that the server has not acknowledged.
class agent_execution {
public:
    explicit agent_execution(exec_number number) : number_(number) { }

    exec_number number() const { return number_; }
    exec_phase phase() const { return phase_; }
    output_window& output(stream_number stream) { return stream == stream_number::stdout_stream ? stdout_ : stderr_; }
    input_window& input() { return input_; }

    /// A pseudo terminal has one stream: with `pty`, stderr ends at once.
    void set_started(const started& what, bool pty);
    void set_failed(int code, std::string step);
    void set_exited(const exit_report& report);

    /// False for a repeat: servers resend signals that were not confirmed.
    bool take_signal(std::uint64_t order);
    void take_stdin_end(std::uint64_t end);

    /// Reports the execution over this connection, which spawned it.
    void join() { joined_ = true; }
    /// Reports an execution of an earlier connection: STATE first, then everything after the server's resume point.
    void resume(const resume_point& server);
    /// The connection is gone. The next one hears nothing before resume().
    void leave() { joined_ = false; }

    /// Returns unused buffer memory to the kernel while idle.
    void rest();

    /// Appends all due frames except OUTPUT, in protocol version `version`.
    void emit_control(std::string& out, std::uint32_t version);
    /// Appends at most one OUTPUT per stream; false if there was none.
    bool emit_output(std::string& out);

private:
    bool emit_output(std::string& out, stream_number stream);
    void emit_eof(std::string& out, stream_number stream);
    exec_state state() const;

    exec_number number_;
    exec_phase phase_ = exec_phase::unknown;
    output_window stdout_;
    output_window stderr_;
    input_window input_;
    started started_;
    exit_report exited_;
    int error_code_ = 0;
    std::string error_step_;

    std::uint64_t last_signal_ = 0;    // order of the last signal taken

    bool joined_ = false;
    bool state_due_ = false;
    bool orders_due_ = false;
    bool started_due_ = false;
    bool end_due_ = false;    // EXITED or ERROR
};

}    // namespace caisson::protocol

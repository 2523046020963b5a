#pragma once

#include "core/protocol/messages.hpp"
#include "core/protocol/stream_windows.hpp"

namespace caisson::protocol {

/// One execution as the agent keeps it until FORGET: how it stands, and what the server does not have yet.
class agent_execution {
public:
    explicit agent_execution(exec_number number) : number_(number) { }

    exec_number number() const { return number_; }
    exec_phase phase() const { return phase_; }
    output_window& output(stream_number stream) { return stream == stream_number::stdout_stream ? stdout_ : stderr_; }
    input_window& input() { return input_; }

    /// Under a pseudo terminal there is one stream: stderr ends at once.
    void set_started(const started& what, bool pty);
    void set_failed(int code, std::string step);
    void set_exited(const exit_report& report);

    /// False for a signal that was taken before: servers say again what they do not know to be taken.
    bool take_signal(std::uint64_t order);
    void take_stdin_end(std::uint64_t end);

    /// From now on this connection hears of the execution: it was spawned here.
    void join() { joined_ = true; }
    /// The same for one that was spawned before; everything after what the server has is said again, STATE first.
    void resume(const resume_point& server);
    /// The connection is gone. The next one hears nothing before resume().
    void leave() { joined_ = false; }

    /// Gives memory back while nothing happens.
    void rest();

    /// Appends the frames that are due, but for output, as `version` of the protocol has them.
    void emit_control(std::string& out, std::uint32_t version);
    /// Appends at most one OUTPUT a stream; false if there was none.
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

    std::uint64_t last_signal_ = 0;    // its order

    bool joined_ = false;
    bool state_due_ = false;
    bool orders_due_ = false;
    bool started_due_ = false;
    bool end_due_ = false;    // EXITED or ERROR
};

}    // namespace caisson::protocol

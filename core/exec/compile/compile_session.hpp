#pragma once

#include "core/protocol/agent_link.hpp"

#include <functional>
#include <optional>
#include <string>

namespace caisson {

/// Hears a compiler: the head of what it writes, and its end. What it writes is not the program's output. I/O thread.
class compile_session final : public protocol::execution_sink {
public:
    /// Of what it writes, both streams together.
    static constexpr std::size_t most_output_bytes = 64 << 10;
    /// Which bytes of a stream need not be sent again.
    using acknowledge = std::function<void(protocol::stream_number stream, std::uint64_t end)>;

    /// `changed` is called when there is more to know. `program` is what it is called when it cannot be started.
    compile_session(std::string program, acknowledge done_with, std::function<void()> changed)
        : program_(std::move(program)), done_with_(std::move(done_with)), changed_(std::move(changed))
    {
    }

    bool started() const { return started_; }
    /// The agent never heard of it.
    bool unknown() const { return unknown_; }
    /// It ended, or was not started.
    bool ended() const { return exited_.has_value() || !start_failure_.empty(); }
    bool streams_ended() const { return eofs_ >= 2; }
    const std::optional<protocol::exit_report>& exited() const { return exited_; }
    /// A sentence; empty: it was started.
    const std::string& start_failure() const { return start_failure_; }
    /// UTF-8; whether something is missing.
    std::string take_output();
    bool truncated() const { return truncated_; }
    /// A part of it was lost on the way: what is missing may differ the next time.
    bool has_gap() const { return gap_; }

    void on_started(std::int32_t, std::uint64_t) override;
    void on_output(protocol::stream_number stream, std::uint64_t offset, shared_bytes bytes) override;
    void on_gap(protocol::stream_number, std::uint64_t, std::uint64_t) override { gap_ = truncated_ = true; }
    void on_eof(protocol::stream_number, std::uint64_t) override;
    void on_stdin_taken(std::uint64_t) override { }
    void on_exited(protocol::exit_report report) override;
    void on_start_failed(int code, std::string step) override;
    void on_unknown() override;

private:
    std::string program_;
    acknowledge done_with_;
    std::function<void()> changed_;
    bool started_ = false;
    bool unknown_ = false;
    int eofs_ = 0;
    std::string output_;
    bool truncated_ = false;
    bool gap_ = false;
    std::optional<protocol::exit_report> exited_;
    std::string start_failure_;
};

}    // namespace caisson

#pragma once

#include "core/protocol/agent_link.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>

namespace caisson::protocol {

/// Remembers what it hears of one execution, and checks what every sink may rely on: each byte once, in order.
class recording_sink : public execution_sink {
public:
    /// `from`: where the streams stand already.
    explicit recording_sink(resume_point from = {}) : stdout_at_(from.stdout_committed), stderr_at_(from.stderr_committed) { }

    /// Called after each chunk with the stream and its new end; the place to acknowledge from.
    std::function<void(stream_number, std::uint64_t)> on_bytes;

    void on_started(std::int32_t pid, std::uint64_t monotonic_ns) override
    {
        started = pid;
        started_ns = monotonic_ns;
    }
    void on_was_parked() override { was_parked = true; }
    void on_stdin_ended() override
    {
        EXPECT_FALSE(stdin_ended);
        stdin_ended = true;
    }
    void on_output(stream_number stream, std::uint64_t offset, shared_bytes bytes) override
    {
        auto& at = stream == stream_number::stdout_stream ? stdout_at_ : stderr_at_;
        EXPECT_EQ(offset, at);
        EXPECT_FALSE(bytes.empty());
        at = offset + bytes.size();
        (stream == stream_number::stdout_stream ? out : err) += bytes.view();
        if (on_bytes)
            on_bytes(stream, at);
    }
    void on_gap(stream_number stream, std::uint64_t offset, std::uint64_t missing) override
    {
        auto& at = stream == stream_number::stdout_stream ? stdout_at_ : stderr_at_;
        EXPECT_EQ(offset, at);
        at += missing;
        gaps += missing;
    }
    void on_eof(stream_number stream, std::uint64_t end) override
    {
        EXPECT_EQ(end, stream == stream_number::stdout_stream ? stdout_at_ : stderr_at_);
        auto& ended = stream == stream_number::stdout_stream ? out_ended : err_ended;
        EXPECT_FALSE(ended);
        ended = true;
    }
    void on_stdin_taken(std::uint64_t offset) override
    {
        EXPECT_GT(offset, stdin_taken);
        stdin_taken = offset;
    }
    void on_exited(exit_report report) override
    {
        EXPECT_FALSE(exited.has_value());
        exited = report;
    }
    void on_start_failed(int code, std::string step) override
    {
        EXPECT_FALSE(failed.has_value());
        failed.emplace(code, step);
    }
    void on_unknown() override { unknown = true; }

    std::uint64_t end_of(stream_number stream) const { return stream == stream_number::stdout_stream ? stdout_at_ : stderr_at_; }
    /// Nothing more will come.
    bool complete() const { return failed || (exited && out_ended && err_ended); }

    std::optional<std::int32_t> started;
    std::uint64_t started_ns = 0;
    bool was_parked = false;
    bool stdin_ended = false;
    std::string out;
    std::string err;
    std::uint64_t gaps = 0;
    bool out_ended = false;
    bool err_ended = false;
    std::uint64_t stdin_taken = 0;
    std::optional<exit_report> exited;
    std::optional<std::pair<int, std::string>> failed;
    bool unknown = false;

private:
    std::uint64_t stdout_at_;
    std::uint64_t stderr_at_;
};

}    // namespace caisson::protocol

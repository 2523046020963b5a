#pragma once

#include "app/cli/follower.hpp"
#include "app/cli/terminal.hpp"

namespace caisson::cli {

/// Writes an execution's streams to this process's own: stdout and pty to standard output, stderr and notes to standard error.
class terminal_sink : public output_sink {
public:
    /// `only`: the single stream to show ("stdout", "stderr"); empty: all.
    explicit terminal_sink(std::string only = {}) : only_(std::move(only)) { }

    task<bool> write(frame_effects effects) override;

private:
    std::string only_;
    descriptor_writer out_{1};
    descriptor_writer err_{2};
};

/// Writes everything to standard error: what a skill prints is its log.
class log_sink : public output_sink {
public:
    task<bool> write(frame_effects effects) override;

private:
    descriptor_writer err_{2};
};

/// Drops everything.
class silent_sink : public output_sink {
public:
    task<bool> write(frame_effects) override { co_return true; }
};

}    // namespace caisson::cli

#pragma once

#include "app/cli/follower.hpp"
#include "app/cli/terminal.hpp"

namespace caisson::cli {

/// Puts an execution's streams on this process's own: stdout and pty on standard output, stderr and notes on standard error.
class terminal_sink : public output_sink {
public:
    /// `only` is the one stream that is wanted ("stdout", "stderr"); empty for all.
    explicit terminal_sink(std::string only = {}) : only_(std::move(only)) { }

    task<bool> write(frame_effects effects) override;

private:
    std::string only_;
    descriptor_writer out_{1};
    descriptor_writer err_{2};
};

/// Puts all of it on standard error: what a skill prints is its log.
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

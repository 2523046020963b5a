#pragma once

#include "app/cli/client_session.hpp"
#include "app/cli/stdin_forwarder.hpp"
#include "app/cli/terminal_sink.hpp"
#include "core/async/task_group.hpp"

#include <memory>
#include <optional>
#include <string>

namespace caisson::cli {

/// An execution that this terminal is attached to: shows its output, passes on standard input, window changes and
/// interrupts, until it has ended or is left.
class foreground_run {
public:
    /// `session` must outlive it. Output goes to `sink`, or where the options say if that is empty.
    foreground_run(client_session& session, run_options options, std::string execution_id, std::unique_ptr<output_sink> sink = {});

    /// The exit status for this process.
    task<int> to_the_end();
    /// Whether its end was seen; otherwise it was left, or the server stayed away.
    bool ended() const { return ended_; }

private:
    task<> interrupted();
    task<> watch_window();
    task<> cancel();
    task<int> finish(result<boost::json::object> end);
    task<> report();

    client_session& session_;
    run_options options_;
    std::string id_;
    std::unique_ptr<output_sink> sink_;
    follower follower_;
    null_logger log_;
    task_group background_;
    std::optional<stdin_forwarder> stdin_;
    bool ended_ = false;
};

}    // namespace caisson::cli

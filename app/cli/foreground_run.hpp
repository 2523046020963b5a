#pragma once

#include "app/cli/client_session.hpp"
#include "app/cli/stdin_forwarder.hpp"
#include "app/cli/watched_sink.hpp"
#include "core/async/task_group.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace caisson::cli {

/// How this process follows a run, and what it does with the run's files.
struct attended_options {
    client_options client;
    bool of_skill = false;    // its program's output is its log, on standard error; standard output is for the skill's output
    bool collects = false;    // it may leave files
    std::optional<std::filesystem::path> download;
    bool force = false;
    bool pty = false;
    bool forward_stdin = false;
    bool detach = false;
    bool stats = false;
    bool quiet = false;
};

/// An execution in the foreground: shows its output and forwards standard input, window changes and interrupts, until it ends or is left.
class foreground_run {
public:
    /// `session` must outlive it.
    foreground_run(client_session& session, const attended_options& options, std::string execution_id);

    /// Follows the execution; returns this process's exit status.
    task<int> to_the_end();
    /// The exit event; empty if the run was left or the server stayed away, which was reported.
    const std::optional<boost::json::object>& end() const { return end_; }

private:
    task<> interrupts();
    task<> watch_window();
    task<> cancel();
    task<int> finish(result<boost::json::object> end);
    void say(const std::string& sentence);

    client_session& session_;
    attended_options options_;
    std::string id_;
    watched_sink sink_;
    follower follower_;
    null_logger log_;
    task_group background_;
    std::optional<stdin_forwarder> stdin_;
    std::optional<boost::json::object> end_;
};

}    // namespace caisson::cli

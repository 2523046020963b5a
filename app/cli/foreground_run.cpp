#include "app/cli/foreground_run.hpp"

#include "app/cli/exit_status.hpp"
#include "app/cli/interrupted.hpp"
#include "app/cli/terminal_sink.hpp"
#include "app/cli/verbs.hpp"
#include "core/async/deadline.hpp"

#include <boost/json/serialize.hpp>

#include <unistd.h>

namespace caisson::cli {

namespace {

std::unique_ptr<output_sink> inner_sink(const attended_options& options)
{
    if (options.client.output == output_format::json)
        return std::make_unique<silent_sink>();
    if (options.of_skill)
        return std::make_unique<log_sink>();
    return std::make_unique<terminal_sink>();
}

watched_sink::manner manner_of(const attended_options& options)
{
    const bool types = options.forward_stdin && ::isatty(STDIN_FILENO) == 1;
    return {!options.pty && !types, options.client.output != output_format::json, options.quiet};
}

}    // namespace

foreground_run::foreground_run(client_session& session, const attended_options& options, std::string execution_id)
    : session_(session)
    , options_(options)
    , id_(std::move(execution_id))
    , sink_(session, id_, inner_sink(options), manner_of(options))
    , follower_(session.api(), session.time(), id_, sink_)
    , background_(session.executor(), log_)
{
}

void foreground_run::say(const std::string& sentence)
{
    sink_.clear();
    complain(sentence);
}

task<int> foreground_run::to_the_end()
{
    std::optional<raw_mode> raw;
    background_.spawn("watch", sink_.watch());
    if (options_.pty) {
        raw.emplace();
        background_.spawn("window", watch_window());
    }
    if (options_.pty || options_.forward_stdin) {
        stdin_.emplace(session_.api(), session_.time(), id_);
        background_.spawn("stdin", stdin_->run());
    }
    auto outcome = co_await race(follower_.to_the_end(), interrupts());
    if (stdin_)
        stdin_->stop();
    co_await background_.stop();
    sink_.clear();
    raw.reset();
    if (outcome.index() == 1)
        co_return exit_status::cancelled;
    co_return co_await finish(std::move(std::get<0>(outcome)));
}

task<> foreground_run::interrupts()
{
    signal_set signals(session_.executor(), SIGINT, SIGTERM);
    co_await signals.async_wait(use_task);
    say("cancelling " + id_ + "; press Ctrl-C again to leave it");
    sink_.is_cancelled();
    co_await cancel();
    co_await signals.async_wait(use_task);
    say("left " + id_ + "; it was asked to end: caisson show " + id_ + " says whether it has");
}

task<> foreground_run::cancel()
{
    auto answer = co_await session_.api().post("/v1/executions/" + id_ + "/cancel", boost::json::object());
    if (answer.has_error() && answer.error().code != errc::conflict)    // conflict: it has ended already
        say(id_ + " could not be cancelled: " + answer.error().detail);
}

task<> foreground_run::watch_window()
{
    signal_set changes(session_.executor(), SIGWINCH);
    while (true) {
        co_await changes.async_wait(use_task);
        if (const auto window = window_of(STDOUT_FILENO)) {
            const boost::json::object frame{{"type", "resize"}, {"cols", window->cols}, {"rows", window->rows}};
            follower_.send(boost::json::serialize(frame));
        }
    }
}

task<int> foreground_run::finish(result<boost::json::object> end)
{
    if (end.has_error() && end.error().code == errc::cancelled) {
        if (!options_.quiet)
            say("nobody reads its output any more: cancelling " + id_);
        co_await cancel();
        co_return exit_status::signal_base + SIGPIPE;
    }
    if (end.has_error())
        co_return complain(end.error(), exit_status::infrastructure);
    end_ = std::move(*end);
    co_return exit_status_of(*end_);
}

}    // namespace caisson::cli

#include "app/cli/foreground_run.hpp"

#include "app/cli/exit_status.hpp"
#include "app/cli/verbs.hpp"
#include "app/cli/views.hpp"
#include "core/async/deadline.hpp"

#include <boost/asio/basic_signal_set.hpp>
#include <boost/json/serialize.hpp>

#include <unistd.h>

#include <csignal>

namespace caisson::cli {

namespace {

using signal_set = asio::basic_signal_set<io_executor>;

std::unique_ptr<output_sink> sink_for(const run_options& options)
{
    if (options.client.output == output_format::json)
        return std::make_unique<silent_sink>();
    return std::make_unique<terminal_sink>();
}

}    // namespace

foreground_run::foreground_run(client_session& session, run_options options, std::string execution_id, std::unique_ptr<output_sink> sink)
    : session_(session)
    , options_(std::move(options))
    , id_(std::move(execution_id))
    , sink_(sink ? std::move(sink) : sink_for(options_))
    , follower_(session.api(), session.time(), id_, *sink_)
    , background_(session.executor(), log_)
{
}

task<int> foreground_run::to_the_end()
{
    std::optional<raw_mode> raw;
    if (options_.pty) {
        raw.emplace();
        background_.spawn("window", watch_window());
    }
    if (options_.pty || options_.forward_stdin) {
        stdin_.emplace(session_.api(), session_.time(), id_);
        background_.spawn("stdin", stdin_->run());
    }
    auto outcome = co_await race(follower_.to_the_end(), interrupted());
    if (stdin_)
        stdin_->stop();
    co_await background_.stop();
    raw.reset();
    if (outcome.index() == 1)
        co_return exit_status::cancelled;
    co_return co_await finish(std::move(std::get<0>(outcome)));
}

task<> foreground_run::interrupted()
{
    signal_set signals(session_.executor(), SIGINT, SIGTERM);
    co_await signals.async_wait(use_task);
    complain("cancelling " + id_ + "; press Ctrl-C again to leave it");
    co_await cancel();
    co_await signals.async_wait(use_task);
    complain("left " + id_ + "; see caisson show " + id_);
}

task<> foreground_run::cancel()
{
    auto answer = co_await session_.api().post("/v1/executions/" + id_ + "/cancel", boost::json::object());
    if (answer.has_error() && answer.error().code != errc::conflict)    // conflict: it has ended already
        complain(answer.error(), exit_status::infrastructure);
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
        co_await cancel();
        co_return exit_status::signal_base + SIGPIPE;
    }
    if (end.has_error())
        co_return complain(end.error(), exit_status::infrastructure);
    ended_ = true;
    if (const auto note = ending_note(*end); !note.empty())
        complain(note + " (" + id_ + ")");
    if (options_.stats || options_.client.output == output_format::json)
        co_await report();
    co_return exit_status_of(*end);
}

task<> foreground_run::report()
{
    auto record = co_await session_.api().get("/v1/executions/" + id_);
    if (record.has_error() || !record->is_object()) {
        complain(record.has_error() ? record.error().detail : "the record of " + id_ + " cannot be read");
        co_return;
    }
    if (options_.client.output == output_format::json)
        print_json(*record);
    if (options_.stats)
        complain(id_ + ": " + stages_line(record->get_object()));
}

}    // namespace caisson::cli

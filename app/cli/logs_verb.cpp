#include "app/cli/line_splitter.hpp"
#include "app/cli/terminal_sink.hpp"
#include "app/cli/with_session.hpp"

namespace caisson::cli {

namespace {

constexpr std::size_t longest_frame = 16 << 20;

/// Reads the stored events once, from the reader's cursor on. Errors: also errc::runtime_unavailable if the connection broke.
task<result<void>> read_kept(api_client* api, std::string id, frame_reader* reader, output_sink* sink)
{
    auto opened = co_await api->open_lines("/v1/executions/" + id + "/events?after=" + reader->cursor());
    if (opened.has_error())
        co_return opened.error();
    line_splitter lines(longest_frame);
    while (true) {
        auto bytes = co_await (*opened)->read();
        if (bytes.has_error())
            co_return bytes.error();
        if (!*bytes)
            co_return result<void>();
        lines.feed(**bytes);
        while (auto line = lines.next()) {
            auto effects = reader->take(*line);
            if (effects.has_error())
                co_return effects.error();
            const bool written = co_await sink->write(std::move(*effects));
            if (!written)
                co_return error{errc::cancelled, "nobody reads the output any more"};
        }
        if (lines.overlong())
            co_return error{errc::bad_request, "the server sent a line of more than 16 MiB"};
    }
}

task<result<void>> print_kept(client_session* session, std::string id, output_sink* sink)
{
    frame_reader reader;
    while (true) {
        const auto before = reader.cursor();
        auto read = co_await read_kept(&session->api(), id, &reader, sink);
        if (read.has_value() || !may_pass(read.error().code))
            co_return read;
        if (reader.cursor() == before)
            co_return read;    // no progress since the last try
        co_await session->time().wait_for(std::chrono::milliseconds(100));
    }
}

task<result<void>> follow(client_session* session, std::string id, output_sink* sink)
{
    follower live(session->api(), session->time(), std::move(id), *sink);
    auto end = co_await live.to_the_end();
    if (end.has_error())
        co_return end.error();
    co_return result<void>();
}

task<int> logs(client_session* session, logs_options options)
{
    terminal_sink sink(options.stream);
    auto work = options.follow ? follow(session, options.id, &sink) : print_kept(session, options.id, &sink);
    auto done = co_await std::move(work);
    if (done.has_error() && done.error().code != errc::cancelled)
        co_return complain(of_execution(options.id, done.error()), exit_status::failed);
    co_return exit_status::ok;
}

}    // namespace

int run_verb(const logs_options& options, const verb_context& context)
{
    return with_session(options, context, [&](client_session* session) { return logs(session, options); });
}

}    // namespace caisson::cli

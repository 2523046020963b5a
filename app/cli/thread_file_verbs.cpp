// thread export and import.

#include "adapters/net/file_source.hpp"
#include "app/cli/file_in_folder.hpp"
#include "app/cli/progress_line.hpp"
#include "app/cli/spooled_input.hpp"
#include "app/cli/text_table.hpp"
#include "app/cli/thread_address.hpp"
#include "app/cli/with_session.hpp"

#include <unistd.h>

namespace caisson::cli {

namespace {

task<result<void>> print_piece(shared_bytes piece)
{
    print(piece.view());
    co_return result<void>();
}

task<result<void>> put_piece(target_folder::file* to, shared_bytes piece) { co_return to->write(piece.view()); }

/// Downloads into a file that gets its name once it is complete.
task<result<void>> fetch_file(client_session* session, std::string from, std::filesystem::path target, bool force)
{
    auto folder = target_folder::open(target.has_parent_path() ? target.parent_path() : ".");
    if (folder.has_error())
        co_return folder.error();
    if (!force && folder->has(target.filename().string()))
        co_return error{errc::conflict, target.string() + " is there already; --force replaces it"};
    auto file = folder->begin(target.filename().string(), 0600);
    if (file.has_error())
        co_return file.error();
    const auto take = [to = &*file](shared_bytes piece) { return put_piece(to, std::move(piece)); };
    api_client::progress silent;
    auto done = co_await session->api().download(std::move(from), take, std::move(silent));
    co_return done.has_error() ? done : file->finish(force);
}

/// The default file name for an exported thread.
std::string exported_file(const std::string& thread)
{
    constexpr std::size_t longest = 240;    // file systems take 255 bytes
    return net::percent_encode(thread).substr(0, longest) + ".ndjson";
}

task<int> export_thread(client_session* session, thread_export_options options)
{
    const auto from = thread_address(options.thread) + "/export";
    const auto target = options.target.empty() ? std::filesystem::path(exported_file(options.thread)) : options.target;
    const auto to_stdout = [](shared_bytes piece) { return print_piece(std::move(piece)); };
    auto work = target == "-" ? session->api().download(from, to_stdout, {}) : fetch_file(session, from, target, options.force);
    const auto done = co_await std::move(work);
    if (done.has_error())
        co_return complain(done.error(), exit_status::failed);
    co_return exit_status::ok;
}

task<int> import_thread(client_session* session, thread_import_options options)
{
    worker_pool disk("read", 1);
    auto body = net::file_source::open(options.source, disk);
    if (body.has_error())
        co_return complain(body.error(), exit_status::failed);
    progress_line line(options.client.output == output_format::json);
    const auto total = (*body)->size_bytes();
    const auto told = [&line, total](std::uint64_t done) { line.show_bytes("caisson: uploading", done, total); };
    const auto answer =
        co_await session->api().upload(thread_address(options.thread) + "/import", "application/x-ndjson", body->get(), told);
    line.clear();
    if (answer.has_error())
        co_return complain(answer.error(), exit_status::failed);
    if (options.client.output == output_format::json || !answer->is_object())
        print_json(*answer);
    else
        print(one_line(text_of(answer->get_object(), "latest_id"), 200) + "\n");
    co_return exit_status::ok;
}

}    // namespace

int run_verb(const thread_export_options& options, const verb_context& context)
{
    return with_session(options, context, [&](client_session* session) { return export_thread(session, options); });
}

int run_verb(const thread_import_options& options, const verb_context& context)
{
    if (options.source != "-")
        return with_session(options, context, [&](client_session* session) { return import_thread(session, options); });
    if (::isatty(STDIN_FILENO) == 1)
        return complain(
            {errc::bad_request, "standard input is a terminal: name the exported file, or redirect it there"}, exit_status::usage);
    const auto input = spooled_input::take(STDIN_FILENO, "the exported file on standard input");
    if (input.has_error())
        return complain(input.error(), exit_status::failed);
    auto from_file = options;
    from_file.source = input->path();
    return with_session(options, context, [&](client_session* session) { return import_thread(session, from_file); });
}

}    // namespace caisson::cli

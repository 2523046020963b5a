#include "app/cli/attended_run.hpp"

#include "app/cli/artifact_fetch.hpp"
#include "app/cli/exit_status.hpp"
#include "app/cli/interrupted.hpp"
#include "app/cli/kept_files.hpp"
#include "app/cli/limit_flags.hpp"
#include "app/cli/record_view.hpp"
#include "app/cli/run_key.hpp"
#include "app/cli/verbs.hpp"
#include "core/async/deadline.hpp"
#include "core/languages/json_text.hpp"

#include <cstdio>

namespace caisson::cli {

namespace {

bool is_json(const attended_options& options) { return options.client.output == output_format::json; }

/// The end of a run, as far as it is known.
struct ended_run {
    std::string id;
    boost::json::object end;       // the exit event
    int status = 0;                // this process's exit status, from that event
    std::string record_text;       // as the server wrote it; empty: not requested
    boost::json::object record;    // parsed from record_text
};

bool wants_record(const attended_options& options) { return options.of_skill || options.collects || options.stats || is_json(options); }

/// Prints why the run failed, with its id. A plain `run` does not print the program's exit status.
void say_failure(const ended_run& run, const attended_options& options)
{
    const auto& told = run.record.contains("status") ? run.record : run.end;
    const auto said = compiler_output(told);
    std::fwrite(said.data(), 1, said.size(), stderr);
    const bool plain_exits_too = options.of_skill || options.collects;
    if (const auto why = plain_exits_too ? failure_of(told) : ending_note(told); !why.empty())
        complain(why + " (" + run.id + ")");
}

/// Fetches the files for --download; otherwise prints how to fetch them. False if the download failed.
task<bool> take_files(client_session* session, const ended_run* run, attended_options options)
{
    if (!options.quiet)
        for (const auto& each : trouble_with_files(run->record))
            complain(each);
    if (options.download) {
        auto done = co_await fetch_artifacts(session, run->id, *options.download, options.force, options.quiet);
        if (done.has_value() && !options.quiet)
            complain(fetched_files(*done, *options.download));
        if (done.has_value())
            co_return true;
        complain(done.error(), exit_status::failed);
    }
    const auto kept = options.quiet || is_json(options) ? std::string() : kept_files(run->record, run->id);
    if (!kept.empty())
        complain(kept);
    co_return !options.download;
}

/// Prints the record, or a skill's output, as the server wrote it. The record lacks a large output, which is fetched. False if that failed.
task<bool> print_result(client_session* session, const ended_run* run, attended_options options)
{
    if (is_json(options)) {
        print(run->record_text + "\n");
        co_return true;
    }
    if (!options.of_skill)
        co_return true;
    std::string output(json_member(run->record_text, "output"));
    if (run->record.contains("output_bytes")) {
        auto text = co_await session->api().get_text("/v1/executions/" + run->id + "/output");
        if (text.has_error()) {
            complain("the output of " + run->id + " cannot be read: " + text.error().detail);
            co_return false;
        }
        output = std::move(*text);
    }
    if (!output.empty())
        print(output + "\n");
    co_return true;
}

task<int> conclude(client_session* session, ended_run run, attended_options options)
{
    if (!wants_record(options)) {
        say_failure(run, options);
        co_return run.status;
    }
    auto text = co_await session->api().get_text("/v1/executions/" + run.id);
    if (text.has_error()) {
        complain("the record of " + run.id + " cannot be read: " + text.error().detail);
        say_failure(run, options);
        co_return run.status == exit_status::ok ? exit_status::infrastructure : run.status;
    }
    run.record_text = std::move(*text);
    if (auto value = parse_deep(run.record_text); value.is_object())
        run.record = std::move(value.get_object());
    const bool fetched = co_await take_files(session, &run, options);
    const bool printed = co_await print_result(session, &run, options);
    if (options.stats)
        complain(run.id + ": " + stages_line(run.record));
    say_failure(run, options);
    const bool refused = options.of_skill && text_of(run.record, "status") != "success";
    co_return run.status == exit_status::ok && (refused || !fetched || !printed) ? exit_status::failed : run.status;
}

/// Follows the run `id` to its end.
task<int> attend(client_session* session, attended_options options, std::string id)
{
    foreground_run attached(*session, options, id);
    const auto status = co_await attached.to_the_end();
    if (!attached.end())
        co_return status;
    ended_run run{id, *attached.end(), status, "", {}};
    auto work = conclude(session, std::move(run), std::move(options));
    auto done = co_await race(std::move(work), interrupted(session->executor()));
    if (done.index() == 0)
        co_return std::get<0>(done);
    complain("interrupted; " + id + " has ended, and what it left is kept: caisson show " + id);
    co_return exit_status::cancelled;
}

}    // namespace

task<int> attended_run(client_session* session, attended_options options, std::string body)
{
    auto request = session->api().post_text_once("/v1/executions", std::move(body), new_run_key());
    auto asked = co_await race(std::move(request), interrupted(session->executor()));
    if (asked.index() == 1) {
        complain("interrupted before the server had answered; if it took the run, caisson ps shows it");
        co_return exit_status::cancelled;
    }
    auto& created = std::get<0>(asked);
    if (created.has_error())
        co_return complain(error{created.error().code, in_flags(created.error().detail)}, exit_status::infrastructure);
    const auto id = created->is_object() ? text_of(created->get_object(), "execution_id") : std::string();
    if (id.empty()) {
        complain("the server's answer has no execution_id");
        co_return exit_status::infrastructure;
    }
    if (!options.detach)
        co_return co_await attend(session, std::move(options), id);
    if (is_json(options))
        print_json(*created);
    else
        print(id + "\n");
    co_return exit_status::ok;
}

}    // namespace caisson::cli

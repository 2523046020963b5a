#include "app/cli/artifact_fetch.hpp"
#include "app/cli/exit_status.hpp"
#include "app/cli/foreground_run.hpp"
#include "app/cli/quantities.hpp"
#include "app/cli/run_key.hpp"
#include "app/cli/skill_run_request.hpp"
#include "app/cli/verbs.hpp"
#include "core/exec/json_text.hpp"

namespace caisson::cli {

namespace {

/// What the program prints is its log: standard output is the output's.
class log_sink : public output_sink {
public:
    task<bool> write(frame_effects effects) override
    {
        std::string text = effects.note.empty() ? "" : "caisson: " + effects.note + "\n";
        for (auto& chunk : effects.output)
            text += chunk.bytes;
        return err_.write(std::move(text));
    }

private:
    descriptor_writer err_{2};
};

std::unique_ptr<output_sink> sink_for(const skill_run_options& options)
{
    if (options.client.output == output_format::json)
        return std::make_unique<silent_sink>();
    return std::make_unique<log_sink>();
}

run_options attached_options(const skill_run_options& options)
{
    run_options out;
    out.client = options.client;
    out.client.output = output_format::table;    // the record is printed here, once files are there
    out.stats = options.stats;
    return out;
}

/// What a record says that no event did.
void say_trouble(const boost::json::object& record, int status)
{
    const auto trouble = text_of(record, "error");
    const bool plain_exit = text_of(record, "verdict") == "exited";
    if (plain_exit && !trouble.empty() && !(status > 0 && trouble.find("exited with code") != std::string::npos))
        complain(trouble + " (" + text_of(record, "execution_id") + ")");
    const auto* kept = record.if_contains("artifacts");
    const auto* object = kept != nullptr ? kept->if_object() : nullptr;
    if (object == nullptr)
        return;
    if (auto why = text_of(*object, "error"); !why.empty())
        complain("files were not collected: " + why);
    const auto* skipped = object->if_contains("skipped");
    if (skipped != nullptr && skipped->is_array())
        for (const auto& each : skipped->get_array())
            if (each.is_object())
                complain("left out: " + text_of(each.get_object(), "path") + ": " + text_of(each.get_object(), "reason"));
}

/// The output as the program wrote it.
void print_result(const std::string& record, output_format format)
{
    if (format == output_format::json)
        print(record + "\n");
    else if (const auto output = json_member(record, "output"); !output.empty())
        print(std::string(output) + "\n");
}

task<result<void>> download(client_session* session, std::string id, skill_run_options options)
{
    auto done = co_await fetch_artifacts(session, std::move(id), *options.download, options.force);
    if (done.has_error())
        co_return done.error();
    complain(std::to_string(done->files) + (done->files == 1 ? " file (" : " files (") + show_bytes(done->bytes) + ") in " +
             options.download->string());
    co_return result<void>();
}

/// The output, the files and what is to be said, once the run with the exit status `status` has ended.
task<int> conclude(client_session* session, std::string id, skill_run_options options, int status)
{
    const auto text = co_await session->api().get_text("/v1/executions/" + id);
    if (text.has_error()) {
        complain(text.error().detail);
        co_return status == exit_status::ok ? exit_status::infrastructure : status;
    }
    const auto record = parse_deep(*text);
    const auto& object = record.as_object();
    say_trouble(object, status);
    if (status == exit_status::ok && text_of(object, "status") != "success")
        status = exit_status::failed;
    if (options.download) {
        auto fetched = co_await download(session, id, options);
        if (fetched.has_error())
            status = status == exit_status::ok ? complain(fetched.error(), exit_status::failed) : complain(fetched.error(), status);
    }
    print_result(*text, options.client.output);
    co_return status;
}

task<int> run(client_session* session, skill_run_options options, std::string body)
{
    auto created = co_await session->api().post_text_once("/v1/executions", std::move(body), new_run_key());
    if (created.has_error())
        co_return complain(created.error(), exit_status::infrastructure);
    const auto id = created->is_object() ? text_of(created->get_object(), "execution_id") : std::string();
    if (id.empty()) {
        complain("the server's answer has no execution_id");
        co_return exit_status::infrastructure;
    }
    if (!options.detach) {
        foreground_run attached(*session, attached_options(options), id, sink_for(options));
        const auto status = co_await attached.to_the_end();
        const bool ended = attached.ended();
        if (!ended)
            co_return status;
        co_return co_await conclude(session, id, std::move(options), status);
    }
    if (options.client.output == output_format::json)
        print_json(*created);
    else
        print(id + "\n");
    co_return exit_status::ok;
}

}    // namespace

int run_verb(const skill_run_options& options, const verb_context& context)
{
    auto access = resolve_access(options.client, context.environment);
    if (access.has_error())
        return complain(access.error(), exit_status::infrastructure);
    const auto input = read_skill_input(options);
    if (input.has_error())
        return complain(input.error(), exit_status::infrastructure);
    client_session session(std::move(*access));
    return session.run(run(&session, options, skill_run_request(options, *input)));
}

}    // namespace caisson::cli

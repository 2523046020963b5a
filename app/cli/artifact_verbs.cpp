#include "app/cli/artifact_fetch.hpp"
#include "app/cli/quantities.hpp"
#include "app/cli/skill_views.hpp"
#include "app/cli/with_session.hpp"

namespace caisson::cli {

namespace {

task<int> list(client_session* session, artifact_list_options options, bool colours)
{
    auto items = co_await list_artifacts(&session->api(), options.id);
    if (items.has_error())
        co_return complain(items.error(), exit_status::failed);
    if (options.client.output == output_format::json)
        print_json(*items);
    else
        print(artifacts_table(*items, colours));
    co_return exit_status::ok;
}

task<int> get(client_session* session, artifact_get_options options)
{
    auto work = options.path.empty() ? fetch_artifacts(session, options.id, options.target, options.force)
                                     : fetch_artifact(session, options.id, options.path, options.target, options.force);
    auto done = co_await std::move(work);
    if (done.has_error())
        co_return complain(done.error(), exit_status::failed);
    if (options.path.empty())
        complain(std::to_string(done->files) + (done->files == 1 ? " file (" : " files (") + show_bytes(done->bytes) + ") in " +
                 options.target.string());
    co_return exit_status::ok;
}

}    // namespace

int run_verb(const artifact_list_options& options, const verb_context& context)
{
    return with_session(options, context, [&](client_session* session) { return list(session, options, context.colours); });
}

int run_verb(const artifact_get_options& options, const verb_context& context)
{
    return with_session(options, context, [&](client_session* session) { return get(session, options); });
}

}    // namespace caisson::cli
